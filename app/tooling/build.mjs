import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./child-process.mjs";
import { runExclusively } from "./run-exclusively.mjs";
import { SetupError } from "./setup-error.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const stamp = join(root, "build/.built-from");
const compile = join(root, "app/tooling/compile.mjs");

/** The build's inputs; a change to any of them requires a new build. */
const SOURCES = [
  "app",
  "db",
  "public",
  "package.json",
  "package-lock.json",
  "postcss.config.mjs",
  "remix.config.js",
  "tsconfig.json",
];

/**
 * Compiles the site (`compile.mjs`), unless the build is up to date: another program may be serving it. Throws a
 * SetupError if it fails; the compiler's output precedes it.
 */
export async function buildSite() {
  await runExclusively("build", async () => {
    const sources = fingerprint();
    if (isBuiltFrom(sources)) return;
    console.log("Building the site …");
    const code = await run(process.execPath, [compile], { cwd: root });
    if (code !== 0)
      throw new SetupError(`The site was not built: the compiler ended with ${code}.`);
    writeFileSync(stamp, sources);
  });
}

/** Removes the build, so that it has to be built again before it can be run. */
export function discardBuild() {
  for (const folder of ["build", "public/build"])
    rmSync(join(root, folder), { recursive: true, force: true });
}

/** @param {string} sources */
function isBuiltFrom(sources) {
  return (
    ["build/index.js", "build/sandbox.js", "public/build"].every((path) =>
      existsSync(join(root, path)),
    ) &&
    existsSync(stamp) &&
    readFileSync(stamp, "utf8") === sources
  );
}

function fingerprint() {
  const hash = createHash("sha256");
  for (const file of SOURCES.flatMap((source) => filesOf(join(root, source)))) {
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  }
  return `${hash.digest("hex")}\n`;
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function filesOf(path) {
  if (path === join(root, "public/build")) return [];
  try {
    return readdirSync(path, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const inner = join(path, entry.name);
        if (entry.isDirectory()) return filesOf(inner);
        return /\.test\.tsx?$/.test(entry.name) ? [] : [inner];
      });
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === "ENOTDIR") return [path];
    if (code === "ENOENT") return [];
    throw error;
  }
}
