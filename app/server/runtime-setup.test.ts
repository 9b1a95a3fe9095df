import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";

/** Prints whether an object of process.nextTick still has the hidden class of before garbage was collected. */
const COLLECT_GARBAGE = `
  import { executionAsyncResource } from "node:async_hooks";
  import { keptTicks } from "#runtime-setup";
  const tick = () => new Promise((resolve) => process.nextTick(() => resolve(executionAsyncResource())));
  await tick();
  for (let collection = 0; collection < 8; collection++) {
    await new Promise((resolve) => setImmediate(resolve));
    gc();
  }
  console.log(keptTicks.length === 1 && %HaveSameMap(keptTicks[0], await tick()));
`;

/** Makes so many objects that live for a while that V8 would make the next ones among the old. */
const FILL_WINDOW = `
  const window = [];
  const make = (number) => ({ number, twice: [number, number] });
  for (let number = 0; number < 600_000; number++) window[number % 200_000] = make(number);
`;

describe("the runtime's setup", () => {
  it("keeps the hidden class of what process.nextTick queues", () => {
    expect(run(COLLECT_GARBAGE, ["--allow-natives-syntax", "--expose-gc"])).toBe("true\n");
  });

  it("makes all objects among the young, whatever has lived long before", () => {
    const flags = ["--trace-pretenuring-statistics", "--max-semi-space-size=1"];

    expect(run(FILL_WINDOW, flags)).toContain("=> tenure");
    expect(run(`import "#runtime-setup"; ${FILL_WINDOW}`, flags)).not.toContain("tenure");
  });
});

const run = (program: string, flags: string[]) =>
  execFileSync(process.execPath, [...flags, "--input-type=module", "--eval", program], {
    encoding: "utf8",
  });
