// `npm run mutation [module …]`: changes the rules in small ways, one at a time, and counts how many of the
// changes the tests notice. Ends with 1 if a module's score is too low or a survivor is not explained.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Stryker } from "@stryker-mutator/core";
import { filesOf, MODULES } from "./modules.mjs";
import { explanationOf } from "./survivors.mjs";

/** The least share of noticed mutants of each module, in percent. */
const LEAST_SCORE = 85;

/**
 * Longer than any test takes on a busy machine, in milliseconds: what runs into it counts as noticed, and only
 * an endless loop or a lost answer may.
 */
const TIMEOUT_MS = 20_000;

const root = fileURLToPath(new URL("../..", import.meta.url));
const report = fileURLToPath(new URL("../../docs/mutation-testing.md", import.meta.url));

/** @typedef {import("@stryker-mutator/api/core").MutantResult} Mutant */

process.chdir(root);
const names = process.argv.slice(2);
for (const name of names.length > 0 ? names : Object.keys(MODULES)) {
  if (!(await test(name))) process.exitCode = 1;
}

/**
 * Tests one module and writes its score into the report; false if there is something to mend.
 *
 * @param {string} name
 */
async function test(name) {
  const module = MODULES[name];
  if (!module) throw new Error(`There is no module ${name}: ${Object.keys(MODULES).join(", ")}.`);
  process.env.MUTATION_MODULE = name;
  const mutants = await new Stryker({
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    coverageAnalysis: "perTest",
    dryRunTimeoutMinutes: 10,
    ignorePatterns: [".mutation", "build", "public/build", "docs"],
    ignorers: ["texts"],
    jsonReporter: { fileName: `.mutation/${name}.json` },
    mutate: filesOf(module),
    plugins: ["@stryker-mutator/vitest-runner", "./tests/mutation/ignore-texts.mjs"],
    reporters: ["progress-append-only", "json"],
    tempDirName: `.mutation/${name}`,
    testRunner: "vitest",
    timeoutMS: TIMEOUT_MS,
    vitest: { configFile: "tests/mutation/vitest.config.ts", related: false },
    ...(process.env.MUTATION_CONCURRENCY
      ? { concurrency: Number(process.env.MUTATION_CONCURRENCY) }
      : {}),
  }).runMutationTest();

  const survivors = mutants.filter(
    ({ status }) => status === "Survived" || status === "NoCoverage",
  );
  const noticed = mutants.filter(({ status }) => status === "Killed" || status === "Timeout");
  const score = (100 * noticed.length) / (noticed.length + survivors.length);
  /** @type {Map<string, number>} */
  const explained = new Map();
  let unexplained = 0;
  for (const mutant of survivors) {
    const change = changeOf(mutant);
    const why = explanationOf(change);
    const place = `${change.file}:${mutant.location.start.line}`;
    console.log(`${place}  ${change.line}\n  → ${change.replacement}\n  ${why ?? "not explained"}`);
    if (why === null) unexplained += 1;
    const key = `| \`${change.file}\` | ${why ?? "not explained"} |`;
    explained.set(key, (explained.get(key) ?? 0) + 1);
  }
  const sum = `${score.toFixed(1)} % of ${noticed.length + survivors.length} mutants were noticed`;
  console.log(`${name}: ${sum}, ${survivors.length} survived, ${unexplained} of them unexplained`);
  write(name, [
    `${sum}, ${survivors.length} survived:`,
    "",
    "| file | why | mutants |",
    "| ---- | --- | ------: |",
    ...[...explained].map(([key, count]) => `${key} ${count} |`),
  ]);
  return score >= LEAST_SCORE && unexplained === 0;
}

/**
 * What a mutant has changed: its file, the line as it was, and what stood there instead.
 *
 * @param {Mutant} mutant
 */
function changeOf({ fileName, location, mutatorName, replacement = "" }) {
  const file = fileName.slice(root.length).replaceAll("\\", "/");
  const line = readFileSync(fileName, "utf8").split("\n")[location.start.line - 1]?.trim() ?? "";
  return { file, line, mutator: mutatorName, replacement: replacement.replaceAll(/\s+/g, " ") };
}

/**
 * @param {string} name
 * @param {string[]} lines
 */
function write(name, lines) {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const before = readFileSync(report, "utf8");
  const [from, to] = [before.indexOf(start), before.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`${report} has no place for ${name}.`);
  const text = [start, "", ...lines, "", ""].join("\n");
  writeFileSync(report, before.slice(0, from) + text + before.slice(to));
}
