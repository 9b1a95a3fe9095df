import { spawnSync } from "node:child_process";

/**
 * The packages that load native code: the first in the site's process, the second in the one that processes images.
 */
export const NATIVE_MODULES = ["argon2", "sharp"];

/** Timeout for loading one of them, in milliseconds. */
const LOAD_TIMEOUT_MS = 20_000;

/**
 * Says which native module this Node cannot load, and why; null if it loads them all. Each is loaded in a
 * separate process, because an incompatible binary may crash it (signal 11).
 *
 * @param {string} root the folder of package.json
 * @returns {string | null}
 */
export function findNativeModuleFailure(root) {
  for (const name of NATIVE_MODULES) {
    const { status, signal, stderr, error } = spawnSync(
      process.execPath,
      ["--eval", `require(${JSON.stringify(name)})`],
      {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "ignore", "pipe"],
        timeout: LOAD_TIMEOUT_MS,
      },
    );
    if (status === 0) continue;
    const why =
      error?.message ?? (signal ? `it ends by ${signal}` : /^\w*Error.*/m.exec(stderr)?.[0]);
    return `Node.js ${process.versions.node} cannot load the native module ${name} (${why ?? `exit code ${status}`})`;
  }
  return null;
}
