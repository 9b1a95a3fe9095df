import { type AreaFinding, ok, warning } from "./finding";

/** Until when each line of Node.js gets corrections (https://github.com/nodejs/release#release-schedule). */
const SUPPORTED_UNTIL: Record<number, string> = {
  20: "2026-04-30",
  22: "2027-04-30",
  24: "2028-04-30",
  26: "2029-04-30",
};

/** The program's release, and whether Node.js still gets corrections. Asks nobody. */
export function checkRelease(
  release: string,
  node = process.versions.node,
  now = new Date(),
): AreaFinding[] {
  const until = SUPPORTED_UNTIL[Number(node.split(".")[0])];
  const program = ok("program", release);
  if (until === undefined) {
    // release lines newer than this program are not judged; odd ones are supported for months only
    const isNewer = Number(node.split(".")[0]) > 26;
    return isNewer
      ? [program, ok("Node.js", node)]
      : [
          program,
          warning("Node.js", `${node}, which gets no corrections for long`, "Move to Node.js 24."),
        ];
  }
  return now < new Date(`${until}T24:00:00Z`)
    ? [program, ok("Node.js", node)]
    : [
        program,
        warning("Node.js", `${node}, without corrections since ${until}`, "Move to Node.js 24."),
      ];
}
