import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The version of Debian whose own package this Node.js is, such as "13"; null for any other Node.js. */
export function debianReleaseOfNode(): string | null {
  if (process.execPath !== "/usr/bin/node") return null;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query fills it in
  const query = ["--show", "--showformat=${Version}", "nodejs"];
  const { stdout } = spawnSync("dpkg-query", query, { encoding: "utf8" });
  // Debian takes out what is not free; packages of other sources for Debian do not
  if (!stdout?.includes("+dfsg")) return null;
  const system = readFileSync("/etc/os-release", "utf8");
  return /^ID=debian$/m.test(system) ? (/^VERSION_ID="(\d+)"$/m.exec(system)?.[1] ?? null) : null;
}
