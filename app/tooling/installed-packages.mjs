import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {{
 *   version: string,
 *   integrity?: string,
 *   dev?: boolean,
 *   optional?: boolean,
 *   devOptional?: boolean,
 *   extraneous?: boolean,
 *   os?: string[],
 *   cpu?: string[],
 * }} LockedPackage
 */

/**
 * Describes briefly how node_modules differs from package-lock.json, according to the lock file that npm
 * writes to node_modules when it finishes; null if it does not, or if there is no package-lock.json.
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

  const platform = foreignPlatform(wanted, found);
  if (platform !== null) {
    return `node_modules was installed for ${platform}, and this is ${process.platform}-${process.arch}`;
  }
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === "" || (production && entry.dev)) continue;
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const installed = found[path];
    if (installed === undefined) {
      // packages for other platforms are in package-lock.json only
      if (entry.optional || entry.devOptional || entry.extraneous) continue;
      return `node_modules does not match package-lock.json: ${name} is missing`;
    }
    if (installed.version !== entry.version) {
      return `node_modules does not match package-lock.json: ${name} is ${installed.version}, not ${entry.version}`;
    }
    if (installed.integrity !== entry.integrity) {
      return `node_modules does not match package-lock.json: ${name} has other contents`;
    }
  }
  return null;
}

/**
 * The platform that the packages were installed for, if it is not this one: its packages are present and this
 * platform's are missing.
 *
 * @param {Record<string, LockedPackage>} wanted
 * @param {Record<string, LockedPackage>} found
 */
function foreignPlatform(wanted, found) {
  const oursIsMissing = Object.entries(wanted).some(
    ([path, entry]) => (entry.os ?? entry.cpu) && isForThisPlatform(entry) && !(path in found),
  );
  const foreign = Object.values(found).find((entry) => !isForThisPlatform(entry));
  if (!oursIsMissing || foreign === undefined) return null;
  return [foreign.os?.[0], foreign.cpu?.[0]].filter(Boolean).join("-");
}

/** @param {LockedPackage} entry */
function isForThisPlatform({ os, cpu }) {
  return (!os || os.includes(process.platform)) && (!cpu || cpu.includes(process.arch));
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
