import { readdirSync, readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import argon2 from "argon2";
import { libuvThreads } from "~/env.server";

/** Takes as long as a password's hash, in 1 MiB. */
const PROBE = { type: argon2.argon2id, memoryCost: 1_024, timeCost: 40, parallelism: 1 } as const;

const ATTEMPTS = 5;

/**
 * Lets the system prefer all of this process's other threads, and other processes, to those that hash passwords: then
 * hashes may take every core without a page waiting for one. True if it could; only on Linux.
 *
 * Neither Node nor libuv tells which threads these are, so that they are recognized by the CPU time that a few hashes
 * take. They have other work too, such as compressing pages and reading files, that then waits with the hashes for a
 * core, but not behind them: there are more threads than hashes at a time.
 */
export async function yieldToOtherThreads(): Promise<boolean> {
  const count = libuvThreads();
  try {
    const found = new Set<number>();
    for (let attempt = 0; attempt < ATTEMPTS && found.size < count; attempt++) {
      for (const id of await busyThreads(count)) found.add(id);
    }
    if (found.size < count) return false;
    for (const id of found) setPriority(id, constants.priority.PRIORITY_BELOW_NORMAL);
    return true;
  } catch {
    // not Linux, or a sandbox that does not allow it
    return false;
  }
}

/** The threads that compute while as many hashes are made as there are threads for them. */
async function busyThreads(count: number): Promise<number[]> {
  const before = cpuTimes();
  await Promise.all(Array.from({ length: count }, () => argon2.hash("a probe", PROBE)));
  const spent = [...cpuTimes()]
    .filter(([id]) => id !== process.pid)
    .map(([id, time]) => ({ id, spent: time - (before.get(id) ?? 0) }));
  const most = Math.max(...spent.map((thread) => thread.spent));
  return spent.filter((thread) => thread.spent > most / 2).map(({ id }) => id);
}

/** Nanoseconds that each thread of this process has had a CPU, by its id (proc(5), schedstat). */
function cpuTimes(): Map<number, number> {
  return new Map(
    readdirSync("/proc/self/task").map((id) => {
      const [time] = readFileSync(`/proc/self/task/${id}/schedstat`, "utf8").split(" ");
      return [Number(id), Number(time)];
    }),
  );
}
