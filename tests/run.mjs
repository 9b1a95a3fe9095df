// `npm test`: all checks and tests, from a fresh clone, up to the first step that fails.
// `npm run test:webkit`: the tests in WebKit, from a fresh clone as well.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSite } from "../app/tooling/build.mjs";
import { run, stopSignal } from "../app/tooling/child-process.mjs";
import { installPackages } from "../app/tooling/install.mjs";
import { requireNode } from "../app/tooling/node-version.mjs";
import { SetupError } from "../app/tooling/setup-error.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A step that failed; its own output says why. */
class FailedStep extends Error {}

const total = { passed: 0, failed: 0, skipped: 0 };

const steps = {
  install: installPackages,
  lint: () => runTool("@biomejs/biome/bin/biome", ["check", "."]),
  typecheck: () => runTool("typescript/bin/tsc", []),
  "db:check": () => runNode([join(root, "tests/tools/check-migrations.mjs")]),
  "test:unit": () => runVitest("unit"),
  build: buildSite,
  "test:integration": () => runVitest("integration"),
  "test:e2e": async () => {
    // imported only once the packages are installed, which include the drivers
    const { findChromium } = await import("./support/browsers/chromium.mjs");
    const { findFirefox } = await import("./support/browsers/firefox.mjs");
    const chromium = await orSetupError(findChromium());
    const firefox = await orSetupError(findFirefox());
    console.log(`Testing with ${[chromium, firefox].filter(Boolean).join(" and ")}`);
    await runVitest("e2e", { CHROMIUM_PATH: chromium, FIREFOX_PATH: firefox ?? "" });
  },
  "test:load": () => runVitest("load"),
  "test:webkit": async () => {
    const { findWebkit } = await import("./support/browsers/webkit.mjs");
    const webkit = await orSetupError(findWebkit());
    console.log(`Testing with ${webkit.kind === "playwright" ? webkit.path : webkit.browser}`);
    await runVitest("webkit");
  },
};

const isOfWebkit = (/** @type {string} */ name) =>
  ["install", "build", "test:webkit"].includes(name);
const plan = Object.entries(steps).filter(([name]) =>
  process.argv[2] === "webkit" ? isOfWebkit(name) : name !== "test:webkit",
);

await main();

async function main() {
  try {
    requireNode(root);
    for (const [name, step] of plan) {
      if (stopSignal() === null) await timed(name, step);
    }
  } catch (error) {
    if (error instanceof SetupError) console.error(error.message);
    else if (!(error instanceof FailedStep)) console.error(error);
    // a step without tests counts as one failure
    if (total.failed === 0) total.failed = 1;
  }
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
 * @param {Record<string, string>} [variables]
 */
async function runVitest(project, variables) {
  const folder = mkdtempSync(join(tmpdir(), "golden-path-results-"));
  const results = join(folder, "results.json");
  try {
    await runNode(
      [
        join(root, "node_modules/vitest/vitest.mjs"),
        "run",
        ...["--project", project, "--reporter=default", "--reporter=json"],
        `--outputFile.json=${results}`,
      ],
      variables,
    );
  } finally {
    count(results);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} file */
function count(file) {
  /** @type {import("vitest/reporters").JsonTestResults} */
  let results;
  try {
    results = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // vitest itself failed before it wrote them
    return;
  }
  total.passed += results.numPassedTests;
  total.skipped += results.numPendingTests + results.numTodoTests;
  total.failed += results.numFailedTests;
  // a file that cannot be loaded has no failed tests
  for (const { status, assertionResults } of results.testResults) {
    const failed = assertionResults.some((test) => test.status === "failed");
    if (status === "failed" && !failed) total.failed += 1;
  }
}
