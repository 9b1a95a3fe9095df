import { spawn } from "node:child_process";
import { constants } from "node:os";
import { whenNpmEnds } from "./npm-parent.mjs";
import { SetupError } from "./setup-error.mjs";

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
/** @type {NodeJS.Signals | null} */
let stoppedBy = null;

/**
 * Runs a program with inherited standard output and returns its exit code, 128 plus the signal number if a
 * signal ended it. Forwards SIGINT, SIGTERM and SIGHUP received by this process.
 *
 * @param {string} command
 * @param {string[]} parameters
 * @param {import("node:child_process").SpawnOptions} [options]
 * @returns {Promise<number>}
 */
export async function run(command, parameters, options = {}) {
  if (stoppedBy !== null) return exitCode(null, stoppedBy);
  forwardSignals();
  const child = spawn(command, parameters, { stdio: "inherit", ...options });
  running.add(child);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code, signal) => resolve(exitCode(code, signal)));
    });
  } finally {
    running.delete(child);
  }
}

/** The signal that asked this process to stop, if any: nothing new should be started then. */
export function stopSignal() {
  return stoppedBy;
}

/**
 * Runs the steps of a program of the tooling. A SetupError ends it with its message and 1; after Ctrl-C, which is no
 * failure to explain, with the signal's exit code alone.
 *
 * @param {() => Promise<void>} steps
 */
export async function runSteps(steps) {
  try {
    await steps();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    if (stoppedBy === null) console.error(error.message);
    process.exitCode = stoppedBy === null ? 1 : exitCode(null, stoppedBy);
  }
}

let forwarding = false;

function forwardSignals() {
  if (forwarding) return;
  forwarding = true;
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => stopChildren(signal));
  }
  whenNpmEnds(() => stopChildren("SIGTERM"));
}

/** @param {NodeJS.Signals} signal */
function stopChildren(signal) {
  stoppedBy ??= signal;
  // Ctrl-C in a terminal has reached the child too; programs here ignore the duplicate signal
  for (const child of running) child.kill(signal);
}

/**
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
function exitCode(code, signal) {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
