import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { NODE_FLAGS } from "../../app/tooling/node-flags.mjs";
import { freePorts } from "../support/ports.mjs";
import { untilReady } from "../support/ready.mjs";

export const project = fileURLToPath(new URL("../..", import.meta.url));

/** @typedef {{ pid: number, origin: string, stop: () => Promise<void> }} Server */

/**
 * Starts the built program with the local Stripe, and waits until it answers.
 *
 * @param {Record<string, string>} variables
 */
export const startSite = (variables) =>
  start([...NODE_FLAGS, join(project, "build/index.js"), "serve"], variables);

/**
 * Starts the same build under remix-serve, which neither migrates a database nor imports an edition.
 *
 * @param {Record<string, string>} variables
 */
export const startRemixServe = (variables) =>
  start(
    [join(project, "node_modules/@remix-run/serve/dist/cli.js"), join(project, "build/index.js")],
    variables,
  );

/**
 * @param {string[]} parameters
 * @param {Record<string, string>} variables
 * @returns {Promise<Server>}
 */
async function start(parameters, variables) {
  const port = await freePorts(2);
  const origin = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, parameters, {
    cwd: project,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: "production",
      PORT: String(port),
      PUBLIC_URL: origin,
      LOG_LEVEL: "error",
      RATE_LIMIT_FACTOR: "1000000",
      PAYMENTS: "sandbox",
      STRIPE_SANDBOX_PORT: String(await freePorts(2)),
      ...variables,
    },
    // remix-serve logs each request
    stdio: ["ignore", "ignore", "inherit"],
  });
  await untilReady(origin, { child });
  return { pid: child.pid ?? 0, origin, stop: () => stop(child) };
}

/**
 * A bare Node server; after `copy` it answers every request with this address's current response.
 *
 * @returns {Promise<Server & { copy: (url: string, headers: Record<string, string>) => Promise<void> }>}
 */
export async function startBareServer() {
  const child = fork(join(project, "tests/bench/bare-server.mjs"), {
    env: process.env,
  });
  const [port] = await once(child, "message");
  return {
    pid: child.pid ?? 0,
    origin: `http://127.0.0.1:${port}`,
    stop: () => stop(child),
    copy: async (url, headers) => {
      child.send({ url, headers });
      await once(child, "message");
    },
  };
}

/** @param {import("node:child_process").ChildProcess} child */
async function stop(child) {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

/**
 * A process's memory now, in MB; null without /proc.
 *
 * @param {number} pid
 */
export function residentMemory(pid) {
  try {
    const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return found ? Number(found[1]) / 1_024 : null;
  } catch {
    return null;
  }
}
