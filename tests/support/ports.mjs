import { createServer } from "node:net";

/**
 * Ports for servers of tests, below those of outgoing connections (from 32,768 on Linux). Some tests open thousands of
 * those, and one could take a port just after it was found free.
 */
const FIRST = 20_000;
const COUNT = 12_000;

/**
 * The first of `count` consecutive TCP ports that are free right now.
 *
 * @param {number} count
 * @returns {Promise<number>}
 */
export async function freePorts(count) {
  for (let attempt = 0; attempt < 50; attempt++) {
    const first = FIRST + Math.floor(Math.random() * COUNT);
    const free = await Promise.all(Array.from({ length: count }, (_, i) => isFree(first + i)));
    if (free.every(Boolean)) return first;
  }
  throw new Error(`No ${count} consecutive free ports were found.`);
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}
