import { statSync } from "node:fs";
import { dirname } from "node:path";

/** Where the demo's data is when its project's folder will not do. */
export const ROOTS_DEMO_DATA = "/var/lib/golden-path-demo";

/**
 * The folder for the demo's data, if it cannot be the project's `data`: PostgreSQL never runs as root, and the user that
 * it runs as instead may not enter a closed home such as `/root`. Null if the project's will do.
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
