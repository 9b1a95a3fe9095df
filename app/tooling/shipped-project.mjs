import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * A package in `package-lock.json`.
 *
 * @typedef {{
 *   dev?: boolean,
 *   dependencies?: Record<string, string>,
 *   os?: string[],
 *   cpu?: string[],
 *   libc?: string[],
 * }} LockEntry
 */

/**
 * Calls `action` with a temporary folder that holds package.json and package-lock.json of exactly what ships in
 * the image for this CPU ("x64" or "arm64", on Linux): what `npm ci --omit=dev` installs, and the development
 * packages that are compiled into the build. npm's own `--omit=dev` does not do for a list: it also leaves out
 * every package that a development package needs, such as all of Remix's.
 *
 * @template T
 * @param {string} root the folder of package.json
 * @param {string} cpu
 * @param {(folder: string) => T} action
 * @returns {Promise<T>}
 */
export async function withShippedProject(root, cpu, action) {
  const folder = mkdtempSync(join(tmpdir(), "golden-path-shipped-"));
  try {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    // npm names the project after its folder
    const project = join(folder, manifest.name);
    mkdirSync(project);
    await writeShippedProject(root, project, manifest, cpu);
    return action(project);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} root
 * @param {string} project
 * @param {{ dependencies: Record<string, string>, devDependencies?: Record<string, string> }} manifest
 * @param {string} cpu
 */
async function writeShippedProject(root, project, manifest, cpu) {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const compiledIn = await packagesCompiledIn(root);
  const ships = (/** @type {[string, LockEntry]} */ [path, entry]) =>
    path === "" ||
    compiledIn.has(path.replace("node_modules/", "")) ||
    (!entry.dev &&
      (!entry.os || entry.os.includes("linux")) &&
      (!entry.cpu || entry.cpu.includes(cpu)) &&
      (!entry.libc || entry.libc.includes("glibc")));
  const packages = Object.fromEntries(
    Object.entries(lock.packages)
      .filter(ships)
      .map(([path, entry]) => [path, entry.dev ? asCompiledIn(entry, compiledIn) : entry]),
  );
  const { devDependencies, ...production } = manifest;
  production.dependencies = {
    ...production.dependencies,
    ...pick(devDependencies ?? {}, compiledIn),
  };
  const { devDependencies: _, ...rootEntry } = packages[""];
  packages[""] = { ...rootEntry, dependencies: production.dependencies };
  writeFileSync(join(project, "package.json"), JSON.stringify(production));
  writeFileSync(join(project, "package-lock.json"), JSON.stringify({ ...lock, packages }));
}

/**
 * The packages whose code Remix's compiler puts into the server build.
 *
 * @param {string} root
 */
async function packagesCompiledIn(root) {
  const { default: config } = await import(pathToFileURL(join(root, "remix.config.js")).href);
  /** @type {(string | RegExp)[]} */
  const patterns = config.serverDependenciesToBundle;
  return new Set(patterns.filter((pattern) => typeof pattern === "string"));
}

/**
 * The entry of a development package as a production package that needs nothing but what is compiled in too.
 *
 * @param {LockEntry} entry
 * @param {ReadonlySet<string>} compiledIn
 */
function asCompiledIn({ dev: _, ...entry }, compiledIn) {
  return { ...entry, dependencies: pick(entry.dependencies ?? {}, compiledIn) };
}

/**
 * @param {Record<string, string>} entries
 * @param {ReadonlySet<string>} names
 */
function pick(entries, names) {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => names.has(name)));
}
