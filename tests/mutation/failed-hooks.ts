import type { RunnerTask, RunnerTestFile } from "vitest";
import type { Reporter, TestModule } from "vitest/node";

/**
 * Fails the tests of a file that could not be loaded or whose own hooks failed, such as its `beforeAll`. Vitest skips
 * or never lists them. Stryker counts failed tests only, and would report the mutant as a survivor.
 */
export class FailedHooks implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    const file = (module as unknown as { task: RunnerTestFile }).task;
    if (file.result?.state !== "fail" || testsOf(file).some(isFailed)) return;
    if (file.tasks.length === 0) file.tasks.push({ type: "test", name: "loads", file } as never);
    for (const test of testsOf(file)) {
      test.mode = "run";
      test.result = { ...file.result, state: "fail" };
    }
  }
}

function testsOf(task: RunnerTask): RunnerTask[] {
  return task.type === "suite" ? task.tasks.flatMap(testsOf) : [task];
}

const isFailed = ({ result }: RunnerTask) => result?.state === "fail";
