// `npm test`: all checks and tests, from a fresh clone, up to the first step that fails.
// `npm run test:full`: the same with every combination (tests/support/test-scope.mjs), which takes much longer.
// `npm run test:webkit`: the tests in WebKit, from a fresh clone as well.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSite } from "../app/tooling/build.mjs";
import { run, stopSignal } from "../app/tooling/child-process.mjs";
import { installPackages } from "../app/tooling/install.mjs";
import { requireNode } from "../app/tooling/node-version.mjs";
import { SetupError } from "../app/tooling/setup-error.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const vitest = join(root, "node_modules/vitest/vitest.mjs");

/** A step that failed; its own output says why. */
class FailedStep extends Error {}

const total = { passed: 0, failed: 0, skipped: 0 };

/** Results of test runs, and what they have covered. */
const results = mkdtempSync(join(tmpdir(), "golden-path-results-"));

/** The names of tests that passed only when they were repeated, a line each. */
const flakyTests = join(results, "flaky");

const steps = {
  install: installPackages,
  lint: () => runTool("@biomejs/biome/bin/biome", ["check", "."]),
  "db:check": () => runNode([join(root, "tests/tools/check-migrations.mjs")]),
  typecheck: () => runTool("typescript/bin/tsc", []),
  build: buildSite,
  "test:unit": () => runVitest("unit", { isCovered: true }),
  "test:integration": async () => {
    const { installServerPrograms } = await import("./support/server-programs.mjs");
    installServerPrograms();
    await runVitest("integration", { isCovered: true });
  },
  coverage: printCoverage,
  "test:e2e": async () => {
    // imported only once the packages are installed, which include the drivers
    const { findChromium } = await import("./support/browsers/chromium.mjs");
    const { findFirefox } = await import("./support/browsers/firefox.mjs");
    const chromium = await orSetupError(findChromium());
    const firefox = await orSetupError(findFirefox());
    console.log(`Testing with ${[chromium, firefox].filter(Boolean).join(" and ")}`);
    const variables = { CHROMIUM_PATH: chromium, FIREFOX_PATH: firefox ?? "" };
    await runVitest("e2e", { variables });
  },
  "test:load": () => runVitest("load"),
  "test:webkit": async () => {
    const { findWebkit } = await import("./support/browsers/webkit.mjs");
    const webkit = await orSetupError(findWebkit());
    console.log(`Testing with ${webkit.kind === "playwright" ? webkit.path : webkit.browser}`);
    await runVitest("webkit");
  },
};

const [variant] = process.argv.slice(2);
if (variant === "full") process.env.TEST_SCOPE = "full";

/**
 * The steps in their order. Those listed together run at the same time, since each keeps only one processor busy.
 *
 * @type {(keyof typeof steps)[][]}
 */
const plan =
  variant === "webkit"
    ? [["install"], ["build"], ["test:webkit"]]
    : [
        ["install"],
        ["lint", "db:check", "typecheck", "build"],
        ["test:unit"],
        ["test:integration"],
        ["coverage"],
        ["test:e2e"],
        ["test:load"],
      ];

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
  const flaky = existsSync(flakyTests) ? readFileSync(flakyTests, "utf8") : "";
  rmSync(results, { recursive: true, force: true });
  if (flaky) console.log(`\nPassed only when repeated:\n${flaky}`);
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
 * The result of a search, whose failure becomes an error of one sentence for the person who runs the tests.
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
 */
function runTool(file, parameters) {
  return runNode([join(root, "node_modules", file), ...parameters]);
}

/**
 * Runs one project of vitest.config.ts and adds its tests to the total.
 *
 * @param {string} project
 * @param {{ variables?: Record<string, string>, isCovered?: boolean }} [options]
 */
async function runVitest(project, { variables, isCovered = false } = {}) {
  const file = join(results, `${project}.json`);
  const { coverageParameters } = await import("./support/coverage.mjs");
  try {
    await runNode(
      [
        vitest,
        "run",
        ...["--project", project, "--reporter=default", "--reporter=json"],
        ...["--retry=1", `--reporter=${join(root, "tests/support/flaky-tests.mjs")}`],
        `--outputFile.json=${file}`,
        ...(isCovered ? coverageParameters(join(results, "covered", `${project}.json`)) : []),
      ],
      { ...variables, FLAKY_TESTS_FILE: flakyTests },
    );
  } finally {
    count(file);
  }
}

/** Prints what the tests before have covered, by module. */
async function printCoverage() {
  const { coverageTable, mergeParameters } = await import("./support/coverage.mjs");
  const folder = join(results, "covered");
  await runNode([vitest, ...mergeParameters(folder)]);
  console.log(coverageTable(folder));
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
