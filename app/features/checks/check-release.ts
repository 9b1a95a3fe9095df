import { type Answer, ok, warning } from "./answer";

/** Until when each line of Node.js gets corrections (https://github.com/nodejs/release#release-schedule). */
const SUPPORTED_UNTIL: Record<number, string> = {
  20: "2026-04-30",
  22: "2027-04-30",
  24: "2028-04-30",
  26: "2029-04-30",
};

/** The newest line that this program knows. */
const NEWEST = 26;

/** The program's release, and whether Node.js still gets corrections. Asks nobody. */
export function checkRelease(
  release: string,
  node = process.versions.node,
  now = new Date(),
): Answer[] {
  const line = Number(node.split(".")[0]);
  const until = SUPPORTED_UNTIL[line];
  const isSupported = until ? now < new Date(`${until}T24:00:00Z`) : line > NEWEST;
  // odd lines are supported for months only
  const found = `${node}, ${until ? `without corrections since ${until}` : "which gets no corrections for long"}`;
  return [
    ok("program", release),
    isSupported ? ok("Node.js", node) : warning("Node.js", found, "Move to Node.js 24."),
  ];
}
