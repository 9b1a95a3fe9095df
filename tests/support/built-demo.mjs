import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSite } from "../../app/tooling/build.mjs";
import { NODE_FLAGS } from "../../app/tooling/node-flags.mjs";
import { childEnvironment } from "./child-environment.mjs";
import { freePorts } from "./ports.mjs";
import { untilReady } from "./ready.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Builds the site and runs its demo on free ports with its own data, which is removed when it stops.
 * @param {Record<string, string>} [variables] of the environment, beside those that are needed
 * @returns {Promise<{ origin: string, sandboxOrigin: string, dataDir: string, stop: () => Promise<void> }>}
 */
export async function startBuiltDemo(variables = {}) {
  await buildSite();
  const port = process.env.PORT ? Number(process.env.PORT) : await freePorts(2);
  const dataDir = mkdtempSync(join(tmpdir(), "golden-path-"));
  const child = spawn(process.execPath, [...NODE_FLAGS, join(root, "build/index.js"), "demo"], {
    cwd: root,
    env: childEnvironment({ ...variables, PORT: String(port), DATA_DIR: dataDir }),
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
  await untilReady(origin, { child });
  return { origin, sandboxOrigin: `http://localhost:${port + 1}`, dataDir, stop };
}
