import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { expect, it } from "vitest";
import { libuvThreads } from "~/env.server";
import { yieldToOtherThreads } from "~/features/accounts/hash-threads.server";

/** The nice value of each thread of this process, by its id (proc(5), stat). */
function niceValues(): Map<number, number> {
  return new Map(
    readdirSync("/proc/self/task").map((id) => {
      const fields = readFileSync(`/proc/self/task/${id}/stat`, "utf8").split(") ")[1]?.split(" ");
      return [Number(id), Number(fields?.[16])];
    }),
  );
}

it.runIf(process.platform === "linux")(
  "hashing yields to every other thread, whichever hash runs where",
  { timeout: 60_000 },
  async () => {
    const usual = getPriority();
    expect(new Set(niceValues().values())).toEqual(new Set([usual]));
    expect(await yieldToOtherThreads()).toBe(true);
    const values = niceValues();
    expect(values.get(process.pid)).toBe(usual);
    const lowered = [...values].filter(([, nice]) => nice > usual);
    expect(lowered.length).toBeGreaterThanOrEqual(libuvThreads());
    expect(lowered.length).toBeLessThan(values.size);
    // they are those that libuv gives work to
    const timeOf = (id: number) =>
      Number(readFileSync(`/proc/self/task/${id}/schedstat`, "utf8").split(" ")[0]);
    const before = lowered.map(([id]) => timeOf(id));
    await Promise.all(Array.from({ length: 40 }, () => promisify(gzip)(Buffer.alloc(2_000_000))));
    for (const [index, [id]] of lowered.entries())
      expect(timeOf(id)).toBeGreaterThan(before[index] ?? 0);
  },
);
