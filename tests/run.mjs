// `npm test`: lint, types, migrations, build, and the tests of the product's main behavior, up to the first step
// that fails. `npm run test:full`: these and the rest, in tests/full, tests/load and tests/webkit. Both start from a
// fresh clone. `--shard=1/4` runs one of four parts of the tests.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildSite } from "../app/tooling/build.mjs";
import { run, stopSignal } from "../app/tooling/child-process.mjs";
import { installPackages } from "../app/tooling/install.mjs";
import { requireNode } from "../app/tooling/node-version.mjs";
import { SetupError } from "../app/tooling/setup-error.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: { shard: { type: "string" } },
});
const isFull = positionals[0] === "full";

/** A failed step; its own output says why. */
class FailedStep extends Error {}

const total = { passed: 0, failed: 0, skipped: 0 };

/** Where Vitest leaves its results. */
const results = mkdtempSync(join(tmpdir(), "golden-path-results-"));

const steps = {
  install: installPackages,
  lint: () => runTool("@biomejs/biome/bin/biome", ["check", "."]),
  "db:check": () => runNode([join(root, "tests/tools/check-migrations.mjs")]),
  typecheck: () => runTool("typescript/bin/tsc", []),
  build: buildSite,
  "test:unit": () => runVitest("unit"),
  "test:integration": async () => {
    if (isFull) (await import("./support/server-programs.mjs")).installServerPrograms();
    await runVitest("integration");
    if (isFull) await runVitest("integration-full");
  },
  "test:e2e": async () => {
    // imported only after the packages are installed, which include the drivers
    const { findChromium } = await import("./support/browsers/chromium.mjs");
    const { findFirefox } = await import("./support/browsers/firefox.mjs");
    const chromium = await orSetupError(findChromium());
    const firefox = isFull ? await orSetupError(findFirefox()) : null;
    console.log(`Testing with ${[chromium, firefox].filter(Boolean).join(" and ")}`);
    await runVitest("e2e", { CHROMIUM_PATH: chromium, FIREFOX_PATH: firefox ?? "" });
  },
  "test:webkit": async () => {
    const { findWebkit } = await import("./support/browsers/webkit.mjs");
    const webkit = await findWebkit().catch(() => null);
    if (webkit) await runVitest("webkit");
    else console.log("No WebKit could be installed, so its tests are skipped.");
  },
  "test:load": () => runVitest("load"),
};

/**
 * The steps in their order. Those listed together run at the same time, since each uses only one processor.
 *
 * @type {(keyof typeof steps)[][]}
 */
const plan = [
  ["install"],
  ["lint", "db:check", "typecheck", "build"],
  ["test:unit"],
  ["test:integration"],
  ["test:e2e"],
];
if (isFull) plan.push(["test:webkit"], ["test:load"]);

await main();

async function main() {
  try {
    requireNode(root);
    for (const names of plan) {
      if (stopSignal() !== null) break;
      const outcomes = await Promise.allSettled(names.map((name) => timed(name, steps[name])));
      const failed = outcomes.find((outcome) => outcome.status === "rejected");
      if (failed) throw failed.reason;
    }
  } catch (error) {
    if (error instanceof SetupError) console.error(error.message);
    else if (!(error instanceof FailedStep)) console.error(error);
    // a step without tests counts as one failure
    if (total.failed === 0) total.failed = 1;
  }
  rmSync(results, { recursive: true, force: true });
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
  console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
  const signal = stopSignal();
  if (signal !== null) process.exitCode = 128 + constants.signals[signal];
  else process.exitCode = total.failed > 0 ? 1 : 0;
}

/**
 * @param {string} name
 * @param {() => Promise<void>} step
 */
async function timed(name, step) {
  console.log(`\n▶ ${name}`);
  const startedAt = performance.now();
  const seconds = () => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
  try {
    await step();
    console.log(`✔ ${name} (${seconds()})`);
  } catch (error) {
    console.log(`✘ ${name} (${seconds()})`);
    throw error;
  }
}

/**
 * Returns the result of a search; a failure becomes an error of one sentence for the person who runs the tests.
 *
 * @template Found
 * @param {Promise<Found>} looking
 */
async function orSetupError(looking) {
  try {
    return await looking;
  } catch (error) {
    throw new SetupError(error instanceof Error ? error.message : String(error));
  }
}

/** @param {string[]} parameters */
async function runNode(parameters, variables = {}) {
  const code = await run(process.execPath, parameters, {
    cwd: root,
    env: { ...process.env, ...variables },
  });
  if (code !== 0) throw new FailedStep();
}

/**
 * @param {string} file
 * @param {string[]} parameters
 * @param {Record<string, string>} [variables]
 */
function runTool(file, parameters, variables) {
  return runNode([join(root, "node_modules", file), ...parameters], variables);
}

/**
 * Runs one project of vitest.config.ts and adds its tests to the total.
 *
 * @param {string} project
 * @param {Record<string, string>} [variables]
 */
async function runVitest(project, variables) {
  const file = join(results, `${project}.json`);
  const scope = isFull ? [] : ["--exclude=tests/full/**"];
  // a project with few files has none in some of the shards
  const shard = options.shard ? [`--shard=${options.shard}`, "--passWithNoTests"] : [];
  try {
    await runTool(
      "vitest/vitest.mjs",
      [
        "run",
        ...["--project", project, "--reporter=default", "--reporter=json"],
        ...[`--outputFile.json=${file}`, ...scope, ...shard],
      ],
      { ...variables, TEST_SCOPE: isFull ? "full" : "" },
    );
  } finally {
    count(file);
  }
}

/** @param {string} file */
function count(file) {
  /** @type {import("vitest/reporters").JsonTestResults} */
  let report;
  try {
    report = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // vitest itself failed before it wrote them
    return;
  }
  total.passed += report.numPassedTests;
  total.skipped += report.numPendingTests + report.numTodoTests;
  total.failed += report.numFailedTests;
  // a file that cannot be loaded has no failed tests
  for (const { status, assertionResults } of report.testResults) {
    const failed = assertionResults.some((test) => test.status === "failed");
    if (status === "failed" && !failed) total.failed += 1;
  }
}
