import { appendFileSync } from "node:fs";

/**
 * Vitest's reporter for `npm test`, which repeats a failed test once: one race among thousands of tests on a busy
 * machine should not hide what all the others say, nor should it pass unseen. Appends each test that failed first
 * and passed when it was repeated, with its error, to FLAKY_TESTS_FILE.
 */
export default class FlakyTests {
  /** @param {import("vitest/node").TestCase} test */
  onTestCaseResult(test) {
    const file = process.env.FLAKY_TESTS_FILE;
    if (!file || !test.diagnostic()?.flaky) return;
    const [error] = test.result().errors ?? [];
    const [reason] = (error?.message ?? "").split("\n");
    appendFileSync(file, `  ${test.module.relativeModuleId}: ${test.fullName}: ${reason}\n`);
  }
}
