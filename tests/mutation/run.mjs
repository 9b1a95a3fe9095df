// `npm run mutation [module or file …]`: changes the rules in small ways, one at a time, and counts how many of
// the changes the tests notice. Ends with 1 if a score is too low or a survivor is not explained.
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
const asked = process.argv.slice(2);
const known = Object.entries(MODULES).flatMap(([name, module]) => [name, ...filesOf(module)]);
const unknown = asked.filter((one) => !known.includes(one));
if (unknown.length > 0) {
  const names = Object.keys(MODULES).join(", ");
  console.error(`${unknown.join(", ")}: neither a module (${names}) nor a file of one.`);
  process.exit(1);
}
for (const [name, module] of Object.entries(MODULES)) {
  const all = filesOf(module);
  const files = all.filter((file) => asked.includes(file));
  if (asked.length === 0 || asked.includes(name)) {
    const { score, survivors, isFine } = await test(name, all);
    write(name, score, survivors);
    if (!isFine) process.exitCode = 1;
  } else if (files.length > 0) {
    const { isFine } = await test(name, files);
    if (!isFine) process.exitCode = 1;
  }
}

/**
 * Mutates files of a module, prints the survivors, and counts them by file and explanation.
 *
 * @param {string} name
 * @param {string[]} files
 */
async function test(name, files) {
  process.env.MUTATION_MODULE = name;
  const mutants = await new Stryker({
    coverageAnalysis: "perTest",
    dryRunTimeoutMinutes: 10,
    ignorePatterns: [".mutation", "build", "public/build", "docs"],
    ignorers: ["texts"],
    jsonReporter: { fileName: `.mutation/${name}.json` },
    mutate: files,
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

  const alive = mutants.filter(({ status }) => status === "Survived" || status === "NoCoverage");
  const noticed = mutants.filter(({ status }) => status === "Killed" || status === "Timeout");
  const total = noticed.length + alive.length;
  const percent = (100 * noticed.length) / total;
  /** @type {Map<string, number>} */
  const survivors = new Map();
  let unexplained = 0;
  for (const mutant of alive) {
    const change = changeOf(mutant);
    const why = explanationOf(change) ?? "not explained";
    if (why === "not explained") unexplained += 1;
    const place = `${change.file}:${mutant.location.start.line}`;
    console.log(`${place}  ${change.line}\n  → ${change.replacement}\n  ${why}`);
    const row = JSON.stringify([`\`${change.file}\``, why]);
    survivors.set(row, (survivors.get(row) ?? 0) + 1);
  }
  const score = `${percent.toFixed(1)} % of ${total} mutants were noticed, ${alive.length} survived`;
  console.log(`${name}: ${score}, ${unexplained} of them unexplained`);
  return { score, survivors, isFine: percent >= LEAST_SCORE && unexplained === 0 };
}

/**
 * What a mutant has changed: its file, the line as it was, and what stood there instead.
 *
 * @param {Mutant} mutant
 */
function changeOf({ fileName, location, replacement = "" }) {
  const file = fileName.slice(root.length).replaceAll("\\", "/");
  const line = readFileSync(fileName, "utf8").split("\n")[location.start.line - 1]?.trim() ?? "";
  return { file, line, replacement: replacement.replaceAll(/\s+/g, " ") };
}

/**
 * Writes a module's score and survivors into the report.
 *
 * @param {string} name
 * @param {string} score
 * @param {Map<string, number>} survivors the number of mutants by file and explanation, as JSON
 */
function write(name, score, survivors) {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const before = readFileSync(report, "utf8");
  const [from, to] = [before.indexOf(start), before.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`${report} has no place for ${name}.`);
  const cells = [
    ["file", "why", "mutants"],
    ...[...survivors].map(([row, count]) => [...JSON.parse(row), String(count)]),
  ];
  const width = (/** @type {number} */ column) =>
    Math.max(...cells.map((row) => row[column].length));
  const rows = cells.map(
    ([file, why, count]) =>
      `| ${file.padEnd(width(0))} | ${why.padEnd(width(1))} | ${count.padStart(width(2))} |`,
  );
  const rule = `| ${"-".repeat(width(0))} | ${"-".repeat(width(1))} | ${"-".repeat(width(2) - 1)}: |`;
  const table = [rows[0], rule, ...rows.slice(1)];
  const text = [start, "", `${score}:`, "", ...table, "", ""].join("\n");
  writeFileSync(report, before.slice(0, from) + text + before.slice(to));
}
