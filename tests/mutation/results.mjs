import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { filesOf, MODULES } from "./modules.mjs";

/**
 * What a run has found in one file: how many mutants were noticed, and those that were not.
 *
 * @typedef {import("./survivors.mjs").Change & { number: number, end: number }} Survivor from line to line
 * @typedef {{ noticed: number, survivors: Survivor[] }} Result
 * @typedef {Record<string, Result & { source: string }>} Results by file, with a digest of the file as it was measured
 */

/**
 * Keeps a file's result with those of its module, in the repository: a module is measured a few files at a time, on
 * whichever machine has the time.
 *
 * @param {string} file relative to the project's root
 * @param {string} source the file as it was measured
 * @param {Result} result
 */
export function keepResult(file, source, { noticed, survivors }) {
  const path = resultsPath(moduleOf(file));
  const all = { ...readResults(path), [file]: { source: digest(source), noticed, survivors } };
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  mkdirSync(dirname(path), { recursive: true });
  // in one step, since a run may be interrupted at any time
  writeFileSync(`${path}.new`, `${JSON.stringify(sorted, null, 2)}\n`);
  renameSync(`${path}.new`, path);
}

/**
 * The kept result of a file, or null if it has not been measured as it stands now.
 *
 * @param {string} file
 * @param {string} source
 * @returns {Result | null}
 */
export function keptResult(file, source) {
  const kept = readResults(resultsPath(moduleOf(file)))[file];
  return kept?.source === digest(source) ? kept : null;
}

/** @param {string} module */
const resultsPath = (module) => fileURLToPath(new URL(`results/${module}.json`, import.meta.url));

/** @param {string} path @returns {Results} */
function readResults(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw error;
  }
}

/** @type {Map<string, string>} */
const modules = new Map();
for (const [name, module] of Object.entries(MODULES))
  for (const file of filesOf(module)) if (!modules.has(file)) modules.set(file, name);

/** @param {string} file */
function moduleOf(file) {
  const module = modules.get(file);
  if (module === undefined) throw new Error(`${file} belongs to no module.`);
  return module;
}

const digest = (/** @type {string} */ text) =>
  createHash("sha256").update(text).digest("hex").slice(0, 16);
