import { setTimeout as pause } from "node:timers/promises";

/** Timeout for a start, in milliseconds; the first start of an embedded database is the slowest. */
const START_TIMEOUT_MS = 90_000;

/**
 * Waits until a started program answers `/readyz` with 200. Throws an error with its output if it ends or is not
 * ready in time.
 *
 * @param {string} origin
 * @param {object} program
 * @param {import("node:child_process").ChildProcess} program.child
 * @param {() => string} [program.output] what it printed so far
 * @param {(url: string) => Promise<number>} [program.ask] the status of an address, where `fetch` does not reach it
 */
export async function untilReady(origin, { child, output = () => "", ask = statusOf }) {
  for (const limit = Date.now() + START_TIMEOUT_MS; Date.now() < limit; await pause(50)) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`The program ended during its start.\n${output()}`);
    }
    if ((await ask(`${origin}/readyz`).catch(() => null)) === 200) return;
  }
  child.kill("SIGKILL");
  throw new Error(`The program was not ready in time.\n${output()}`);
}

/**
 * @param {string} url
 * @returns {Promise<number>}
 */
async function statusOf(url) {
  const answer = await fetch(url);
  await answer.arrayBuffer();
  return answer.status;
}
