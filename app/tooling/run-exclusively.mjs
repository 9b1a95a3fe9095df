import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

/**
 * Runs the work while no other process of this checkout runs work of the same name, waiting for one that
 * does. The lock of a process that was killed is ignored.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function runExclusively(name, work) {
  const lock = join(root, ".cache", `${name}.lock`);
  mkdirSync(dirname(lock), { recursive: true });
  for (let announced = false; !take(lock); announced = true) {
    const holder = readHolder(lock);
    if (holder !== null && !isAlive(holder)) rmSync(lock, { force: true });
    else if (!announced)
      console.log(`Waiting for process ${holder}, which is running the ${name} (${lock}).`);
    await sleep(100);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** @param {string} lock */
function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return false;
    throw error;
  }
}

/** @param {string} lock */
function readHolder(lock) {
  try {
    return Number(readFileSync(lock, "utf8")) || null;
  } catch {
    return null;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}
