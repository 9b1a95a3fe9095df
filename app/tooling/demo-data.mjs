import { statSync } from "node:fs";
import { dirname } from "node:path";

/** The demo's data folder where the project's is unsuitable. */
export const ROOTS_DEMO_DATA = "/var/lib/golden-path-demo";

/**
 * The folder for the demo's data where the project's `data` is unsuitable, else null. PostgreSQL never runs as root,
 * and the user that it runs as instead may not enter a closed home such as `/root`.
 *
 * @param {string} root the project's folder
 * @param {number | undefined} [uid] of this process; undefined on Windows
 */
export function otherDemoData(root, uid = process.getuid?.()) {
  return uid === 0 && !isOpenToAll(root) ? ROOTS_DEMO_DATA : null;
}

/**
 * Whether every user may enter a folder.
 *
 * @param {string} folder
 * @returns {boolean}
 */
function isOpenToAll(folder) {
  const above = dirname(folder);
  return (statSync(folder).mode & 0o001) !== 0 && (above === folder || isOpenToAll(above));
}
