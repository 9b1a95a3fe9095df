// `npm run mutation FILE…`: changes the given source files in small ways, one at a time, and lists the changes that
// no test notices. Runs the unit and integration tests that import these files, or only the given ones: `npm run
// mutation app/http/cookies.server.ts app/http/cookies.server.test.ts`.
import { fileURLToPath } from "node:url";
import { Stryker } from "@stryker-mutator/core";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
const isTest = (/** @type {string} */ file) => /\.test\.tsx?$/.test(file);
const files = process.argv.slice(2);
const sources = files.filter((file) => !isTest(file));
if (sources.length === 0) {
  console.error("Name the source files to change: npm run mutation FILE…");
  process.exit(1);
}

await new Stryker({
  allowEmpty: true,
  coverageAnalysis: "perTest",
  dryRunTimeoutMinutes: 10,
  ignorePatterns: ["build", "public/build"],
  mutate: sources,
  plugins: ["@stryker-mutator/vitest-runner"],
  reporters: ["progress-append-only", "clear-text"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  tempDirName: ".mutation",
  testFiles: files.filter(isTest),
  testRunner: "vitest",
  // longer than any test waits: a longer run is an endless loop, and counts as noticed
  timeoutMS: 30_000,
  vitest: { configFile: "tests/mutation/vitest.config.ts", related: true },
}).runMutationTest();
