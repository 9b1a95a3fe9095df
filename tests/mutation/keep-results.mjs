import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import { keepResult, keptResult } from "./results.mjs";

/** @typedef {import("@stryker-mutator/api/core").MutantResult} Mutant */
/** @typedef {{ source: string, remaining: number, noticed: Mutant[], survivors: Mutant[] }} Progress */

/** Keeps the result of each file as soon as its last mutant has been tested, so that a run can be interrupted. */
class KeepResults {
  /** @type {Map<string, Progress>} by file name */
  #files = new Map();

  /** @param {import("@stryker-mutator/api/report").MutationTestingPlanReadyEvent} event */
  onMutationTestingPlanReady({ mutantPlans }) {
    for (const { mutant } of mutantPlans) {
      const { fileName } = mutant;
      const progress = this.#files.get(fileName);
      if (progress) progress.remaining += 1;
      else {
        const source = readFileSync(fileName, "utf8");
        this.#files.set(fileName, { source, remaining: 1, noticed: [], survivors: [] });
      }
    }
  }

  /** @param {Mutant} mutant */
  onMutantTested(mutant) {
    const { fileName, status } = mutant;
    const progress = this.#files.get(fileName);
    if (!progress) return;
    if (status === "Killed" || status === "Timeout") progress.noticed.push(mutant);
    // one that could not be tested, as when Vitest itself fails, must not be lost
    else if (status !== "Ignored") progress.survivors.push(mutant);
    if (status === "RuntimeError") console.error(`${fileName}: ${mutant.statusReason}`);
    progress.remaining -= 1;
    if (progress.remaining > 0) return;
    const { source } = progress;
    const file = relative(process.cwd(), fileName).replaceAll("\\", "/");
    const [noticed, survivors] = [progress.noticed, progress.survivors].map((mutants) =>
      mutants.map((one) => changeOf(file, source, one)),
    );
    const earlier = process.env.MUTATION_SURVIVORS ? keptResult(file, source) : null;
    keepResult(
      file,
      source,
      earlier
        ? merged(earlier, noticed ?? [], survivors ?? [])
        : { noticed: noticed?.length ?? 0, survivors: survivors ?? [] },
    );
  }
}

/**
 * A file's earlier result, with those of its survivors moved that are noticed by now.
 *
 * @param {import("./results.mjs").Result} earlier
 * @param {import("./results.mjs").Survivor[]} noticed
 * @param {import("./results.mjs").Survivor[]} alive
 */
function merged(earlier, noticed, alive) {
  const key = (/** @type {import("./results.mjs").Survivor} */ { number, replacement }) =>
    JSON.stringify([number, replacement]);
  const left = alive.map(key);
  const tested = new Set([...noticed, ...alive].map(key));
  const survivors = earlier.survivors.filter((one) => {
    if (!tested.has(key(one))) return true;
    const index = left.indexOf(key(one));
    if (index === -1) return false;
    left.splice(index, 1);
    return true;
  });
  return { noticed: earlier.noticed + earlier.survivors.length - survivors.length, survivors };
}

/**
 * What a mutant has changed: its file, the lines, the first of them as it was, and what stood there instead.
 *
 * @param {string} file
 * @param {string} source
 * @param {Mutant} mutant
 */
function changeOf(file, source, { location, replacement = "" }) {
  const { line: number } = location.start;
  const line = source.split("\n")[number - 1]?.trim() ?? "";
  return {
    file,
    number,
    end: location.end.line,
    line,
    replacement: replacement.replaceAll(/\s+/g, " "),
  };
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.Reporter, "keep-results", KeepResults),
];
