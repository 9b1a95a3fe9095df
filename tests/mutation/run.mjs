// `npm run mutation [module or file …]`: changes the rules in small ways, one at a time, and counts how many of
// the changes the tests notice. Ends with 1 if a score is too low or a survivor is not explained.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Stryker } from "@stryker-mutator/core";
import { filesOf, MODULES, partsOf } from "./modules.mjs";
import { keepResult, keptResult } from "./results.mjs";
import { batches } from "./slow-tests.mjs";
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

process.chdir(root);
const asked = process.argv.slice(2).filter((one) => !one.startsWith("--"));
const isResumed = process.argv.includes("--resume");
const onlySurvivors = process.argv.includes("--survivors");
const onlyUnitTests = process.argv.includes("--unit");
const writesPart = process.argv.includes("--write-part");
const known = Object.entries(MODULES).flatMap(([name, module]) => [name, ...filesOf(module)]);
const unknown = asked.filter((one) => !known.includes(one));
if (unknown.length > 0) {
  const names = Object.keys(MODULES).join(", ");
  console.error(`${unknown.join(", ")}: neither a module (${names}) nor a file of one.`);
  process.exit(1);
}
for (const [name, module] of Object.entries(MODULES)) {
  const all = filesOf(module);
  const isWhole = asked.length === 0 || asked.includes(name);
  const files = all.filter((file) => isWhole || asked.includes(file));
  if (files.length === 0) continue;
  const remaining = isResumed ? files.filter((file) => !keptResult(file, read(file))) : files;
  for (const { files: ofPart, tests } of partsOf(module)) {
    const part = remaining.filter((file) => ofPart.includes(file));
    for (const batch of batches(part)) await test(name, batch, tests);
  }
  if (!summarise(name, files)) process.exitCode = 1;
  const measured = all.filter((file) => keptResult(file, read(file)));
  if (writesPart || measured.length === all.length) write(name, measured, all);
}

/**
 * Mutates files of a module; what each has shown is kept as soon as it is known.
 *
 * @param {string} name
 * @param {string[]} files
 * @param {string[]} tests patterns
 */
async function test(name, files, tests) {
  process.env.MUTATION_TESTS = tests.join("\n");
  process.env.MUTATION_SOURCES = files.join(",");
  process.env.MUTATION_IGNORES_STATIC = MODULES[name]?.ignoreStatic ? "1" : "";
  process.env.MUTATION_SURVIVORS = onlySurvivors ? "1" : "";
  process.env.MUTATION_UNIT = onlyUnitTests ? "1" : "";
  const places = onlySurvivors ? files.flatMap(survivorsOf) : files;
  if (places.length === 0) return;
  const sources = files.map((file) => /** @type {const} */ ([file, read(file)]));
  await new Stryker({
    coverageAnalysis: "perTest",
    dryRunTimeoutMinutes: 10,
    ignorePatterns: [".mutation", "build", "public/build", "docs"],
    ignorers: ["texts"],
    ignoreStatic: MODULES[name]?.ignoreStatic ?? false,
    mutate: places,
    plugins: [
      "@stryker-mutator/vitest-runner",
      "./tests/mutation/ignore-texts.mjs",
      "./tests/mutation/keep-results.mjs",
    ],
    reporters: ["progress-append-only", "keep-results"],
    tempDirName: `.mutation/${name}`,
    testRunner: "vitest",
    timeoutMS: TIMEOUT_MS,
    vitest: { configFile: "tests/mutation/vitest.config.ts", related: false },
    ...(process.env.MUTATION_CONCURRENCY
      ? { concurrency: Number(process.env.MUTATION_CONCURRENCY) }
      : {}),
  }).runMutationTest();
  for (const [file, source] of sources) {
    // a file without mutants, such as one of types
    if (!keptResult(file, source)) keepResult(file, source, { noticed: 0, survivors: [] });
  }
}

/**
 * Where mutants have lived on in a file, as Stryker takes it.
 *
 * @param {string} file
 */
function survivorsOf(file) {
  const { survivors } = keptResult(file, read(file)) ?? { survivors: [] };
  const lines = survivors.map(({ number, end = number }) => `${file}:${number}-${end}`);
  return [...new Set(lines)];
}

/**
 * Prints the survivors of files, and whether all of them are explained and few enough.
 *
 * @param {string} name
 * @param {string[]} files
 */
function summarise(name, files) {
  const { noticed, survivors } = resultOf(files);
  for (const { file, number, line, replacement, why } of survivors)
    console.log(`${file}:${number}  ${line}\n  → ${replacement}\n  ${why ?? "not explained"}`);
  const unexplained = survivors.filter(({ why }) => why === null).length;
  console.log(`${name}: ${scoreOf(noticed, survivors.length)}, ${unexplained} of them unexplained`);
  return noticed >= (LEAST_SCORE / 100) * (noticed + survivors.length) && unexplained === 0;
}

/**
 * What has been kept of files, with the survivors' explanations, which may be newer.
 *
 * @param {string[]} files
 */
function resultOf(files) {
  const kept = files.map((file) => keptResult(file, read(file)) ?? { noticed: 0, survivors: [] });
  const survivors = kept.flatMap(({ survivors }) => survivors);
  return {
    noticed: kept.reduce((sum, one) => sum + one.noticed, 0),
    survivors: survivors.map((change) => ({ ...change, why: explanationOf(change) })),
  };
}

/** @param {number} noticed @param {number} survived */
function scoreOf(noticed, survived) {
  const total = noticed + survived;
  return `${percent(noticed, total)} of ${total} mutants were noticed, ${survived} survived`;
}

/** @param {number} part @param {number} total */
function percent(part, total) {
  return `${((100 * part) / total).toFixed(1)} %`;
}

/** @param {string} file */
function read(file) {
  return readFileSync(file, "utf8");
}

/**
 * Writes a module's score and survivors, by file and explanation, into the report; of a module that has been measured
 * in part, what each file has reached as well.
 *
 * @param {string} name
 * @param {string[]} measured
 * @param {string[]} all the module's files
 */
function write(name, measured, all) {
  const { noticed, survivors } = resultOf(measured);
  /** @type {Map<string, number>} */
  const rowCounts = new Map();
  for (const { file, why } of survivors) {
    const row = JSON.stringify([`\`${file}\``, why ?? "not explained"]);
    rowCounts.set(row, (rowCounts.get(row) ?? 0) + 1);
  }
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const before = readFileSync(report, "utf8");
  const [from, to] = [before.indexOf(start), before.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`${report} has no place for ${name}.`);
  const rows = [...rowCounts].map(([row, count]) => [...JSON.parse(row), String(count)]);
  const table = tableOf([["file", "why", "mutants"], ...rows]);
  const score = scoreOf(noticed, survivors.length);
  const isPart = measured.length < all.length;
  const text = [
    ...[start, ""],
    isPart ? `Measured ${measured.length} of ${all.length} files so far: ${score}:` : `${score}:`,
    ...["", ...table, ""],
    ...(isPart ? ["What each file has reached:", "", ...tableOf(scoresOf(measured)), ""] : []),
    "",
  ].join("\n");
  writeFileSync(report, before.slice(0, from) + text + before.slice(to));
}

/** The noticed mutants of each file that has mutants. @param {string[]} files */
function scoresOf(files) {
  const rows = files.flatMap((file) => {
    const { noticed, survivors } = resultOf([file]);
    const total = noticed + survivors.length;
    return total === 0 ? [] : [[`\`${file}\``, `${noticed} of ${total}`, percent(noticed, total)]];
  });
  return [["file", "noticed", "score"], ...rows];
}

/**
 * The lines of a table in Markdown, whose last column is aligned to the right.
 *
 * @param {string[][]} cells the first row is the head
 */
function tableOf(cells) {
  const columns = cells[0]?.map((_, column) => cells.map((row) => row[column] ?? "")) ?? [];
  const widths = columns.map((column) => Math.max(...column.map(({ length }) => length)));
  const line = (/** @type {string[]} */ padded) => `| ${padded.join(" | ")} |`;
  const isLast = (/** @type {number} */ column) => column === widths.length - 1;
  const [head, ...rows] = cells.map((row) =>
    line(
      widths.map((width, column) => {
        const cell = row[column] ?? "";
        return isLast(column) ? cell.padStart(width) : cell.padEnd(width);
      }),
    ),
  );
  const rule = line(
    widths.map((width, column) =>
      isLast(column) ? `${"-".repeat(width - 1)}:` : "-".repeat(width),
    ),
  );
  return [head ?? "", rule, ...rows];
}
