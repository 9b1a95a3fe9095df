import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import { keepResult } from "./results.mjs";

/** @typedef {import("@stryker-mutator/api/core").MutantResult} Mutant */
/** @typedef {{ source: string, remaining: number, noticed: number, survivors: Mutant[] }} Progress */

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
        this.#files.set(fileName, { source, remaining: 1, noticed: 0, survivors: [] });
      }
    }
  }

  /** @param {Mutant} mutant */
  onMutantTested(mutant) {
    const { fileName, status } = mutant;
    const progress = this.#files.get(fileName);
    if (!progress) return;
    if (status === "Killed" || status === "Timeout") progress.noticed += 1;
    if (status === "Survived" || status === "NoCoverage") progress.survivors.push(mutant);
    progress.remaining -= 1;
    if (progress.remaining > 0) return;
    const { source, noticed, survivors } = progress;
    const file = relative(process.cwd(), fileName).replaceAll("\\", "/");
    keepResult(file, source, {
      noticed,
      survivors: survivors.map((one) => changeOf(file, source, one)),
    });
  }
}

/**
 * What a mutant has changed: its file, the line as it was with its number, and what stood there instead.
 *
 * @param {string} file
 * @param {string} source
 * @param {Mutant} mutant
 */
function changeOf(file, source, { location, replacement = "" }) {
  const { line: number } = location.start;
  const line = source.split("\n")[number - 1]?.trim() ?? "";
  return { file, number, line, replacement: replacement.replaceAll(/\s+/g, " ") };
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.Reporter, "keep-results", KeepResults),
];
