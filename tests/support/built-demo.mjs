import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildSite } from "../../app/tooling/build.mjs";
import { NODE_FLAGS } from "../../app/tooling/node-flags.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Longest wait for the start, in milliseconds; making the embedded database takes most of it. */
const START_LIMIT = 90_000;

/**
 * Builds the site and runs its demo on free ports with data of its own, which go when it stops.
 *
 * @param {Record<string, string>} [variables] of the environment, beside those that are needed
 * @returns {Promise<{ origin: string, sandboxOrigin: string, dataDir: string, stop: () => Promise<void> }>}
 */
export async function startBuiltDemo(variables = {}) {
  await buildSite();
  const port = process.env.PORT ? Number(process.env.PORT) : await freeNeighbours();
  const dataDir = mkdtempSync(join(tmpdir(), "golden-path-"));
  const child = spawn(process.execPath, [...NODE_FLAGS, join(root, "build/index.js"), "demo"], {
    cwd: root,
    // nothing else of this process: its DATABASE_URL or SMTP_URL may name something real
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      LOG_LEVEL: "warn",
      ...variables,
      PORT: String(port),
      DATA_DIR: dataDir,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise((done) => child.once("exit", done));
  const stop = async () => {
    process.off("exit", kill);
    child.kill();
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  };
  const kill = () => child.kill();
  process.once("exit", kill);
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => void stop().then(() => process.exit(130)));
  }

  const origin = `http://localhost:${port}`;
  for (const limit = Date.now() + START_LIMIT; !(await isReady(origin)); await pause(100)) {
    if (child.exitCode !== null) throw new Error("The demo ended while it started.");
    if (Date.now() > limit) throw new Error("The demo was not ready in time.");
  }
  return { origin, sandboxOrigin: `http://localhost:${port + 1}`, dataDir, stop };
}

/** @param {string} origin */
async function isReady(origin) {
  const answer = await fetch(`${origin}/readyz`).catch(() => null);
  await answer?.arrayBuffer();
  return answer?.status === 200;
}

/** A TCP port that is free together with the one after it, for the site and the local Stripe. */
export async function freeNeighbours() {
  for (;;) {
    // below the ports that systems give to outgoing connections
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const free = await Promise.all([port, port + 1].map(isFree));
    if (free.every(Boolean)) return port;
  }
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port }, () => server.close(() => resolve(true)));
  });
}
