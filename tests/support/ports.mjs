import { isPortFree } from "../../app/tooling/port.mjs";

/**
 * Ports for servers of tests: below those that systems give to outgoing connections (from 32,768 on Linux),
 * of which some tests open thousands, and one would be taken between being found free and being used.
 */
const FIRST = 20_000;
const COUNT = 12_000;

/**
 * `count` neighbouring TCP ports that are free right now, the first of them given.
 *
 * @param {number} count
 * @returns {Promise<number>}
 */
export async function freePorts(count) {
  for (let attempt = 0; attempt < 50; attempt++) {
    const first = FIRST + Math.floor(Math.random() * COUNT);
    const free = await Promise.all(Array.from({ length: count }, (_, i) => isPortFree(first + i)));
    if (free.every(Boolean)) return first;
  }
  throw new Error(`No ${count} neighbouring free ports were found.`);
}
