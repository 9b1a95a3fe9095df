import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../.mutation/results/", import.meta.url));

/**
 * What a run has found in one file: how many mutants were noticed, and those that were not.
 *
 * @typedef {import("./survivors.mjs").Change & { number: number, end: number }} Survivor from line to line
 * @typedef {{ noticed: number, survivors: Survivor[] }} Result
 */

/**
 * Keeps a file's result, so that a module can be measured a few files at a time.
 *
 * @param {string} file relative to the project's root
 * @param {string} source the file as it was measured
 * @param {Result} result
 */
export function keepResult(file, source, result) {
  mkdirSync(dirname(`${folder}${file}`), { recursive: true });
  writeFileSync(`${folder}${file}.json`, JSON.stringify({ source: digest(source), ...result }));
}

/**
 * The kept result of a file, or null if it has not been measured as it stands now.
 *
 * @param {string} file
 * @param {string} source
 * @returns {Result | null}
 */
export function keptResult(file, source) {
  try {
    const kept = JSON.parse(readFileSync(`${folder}${file}.json`, "utf8"));
    return kept.source === digest(source) ? kept : null;
  } catch {
    return null;
  }
}

const digest = (/** @type {string} */ text) => createHash("sha256").update(text).digest("hex");
