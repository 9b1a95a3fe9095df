import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** @typedef {{ version: string, dev?: boolean, optional?: boolean, devOptional?: boolean }} LockedPackage */

/**
 * Describes briefly how the versions in node_modules differ from package-lock.json, according to the lock file that npm
 * writes to node_modules when it finishes; null if they do not, or if there is no package-lock.json.
 *
 * @param {string} root the folder of package.json
 * @param {{ production?: boolean }} [options] `production`: development packages may be missing
 * @returns {string | null}
 */
export function findInstallationMismatch(root, { production = false } = {}) {
  const modules = join(root, "node_modules");
  if (!existsSync(modules)) return "node_modules is missing";
  const wanted = readPackages(join(root, "package-lock.json"));
  if (wanted === null) return null;
  const found = readPackages(join(modules, ".package-lock.json"));
  if (found === null) return "node_modules is incomplete";
  for (const [path, { version, dev, optional, devOptional }] of Object.entries(wanted)) {
    const installed = found[path]?.version;
    // packages for other platforms are in package-lock.json only
    const mayBeMissing = optional || devOptional || (production && dev);
    if (path === "" || installed === version || (!installed && mayBeMissing)) continue;
    const name = path.replace(/^.*node_modules\//, "");
    return `node_modules does not match package-lock.json: ${name} is ${installed ?? "missing"}, not ${version}`;
  }
  return null;
}

/**
 * @param {string} lockFile
 * @returns {Record<string, LockedPackage> | null}
 */
function readPackages(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, "utf8")).packages;
  } catch {
    return null;
  }
}
