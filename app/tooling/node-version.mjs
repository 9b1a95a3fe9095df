import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "./setup-error.mjs";

/**
 * Throws a SetupError if this Node is older than `engines` in package.json requires.
 *
 * @param {string} root
 */
export function requireNode(root) {
  const wanted = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).engines.node;
  const [major, minor] = wanted.match(/\d+/g).map(Number);
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split(".").map(Number);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return;
  throw new SetupError(
    `Node.js ${major}.${minor} or newer is needed, but this is ${process.versions.node}: see https://nodejs.org.`,
  );
}
