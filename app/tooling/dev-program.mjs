// Runs the program under Remix's development server, and restarts it after every build. Remix could restart it, but
// would kill its PostgreSQL with it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { watchFile } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundleSandbox } from "./bundle-sandbox.mjs";
import { NODE_FLAGS } from "./node-flags.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const stopWithParent = new URL("stop-with-parent.mjs", import.meta.url).href;

/** How often the build's version is checked, in milliseconds. */
const POLL_MS = 100;

/** The demo prints what to try, which is wanted at the first start only. */
let command = "demo";
let isStopping = false;
let program = await start();
/** The restarts so far, each after the one before. */
let restarts = Promise.resolve();

// Remix writes it at the end of every build
watchFile("build/version.txt", { interval: POLL_MS }, () => {
  restarts = restarts.then(restart);
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, async () => {
    if (isStopping) return;
    isStopping = true;
    await end(program);
    process.exit(0);
  });
}

async function restart() {
  command = "serve";
  await end(program);
  if (!isStopping) program = await start();
}

async function start() {
  // esbuild says why it failed
  await bundleSandbox().catch(() => {});
  const child = spawn(
    process.execPath,
    [...NODE_FLAGS, "--import", stopWithParent, "build/index.js", command],
    { cwd: root, stdio: ["inherit", "inherit", "inherit", "ipc"] },
  );
  child.once("exit", () => {
    if (!isStopping && child === program)
      console.error("The program has exited; the next edit restarts it.");
  });
  return child;
}

/** @param {import("node:child_process").ChildProcess} child */
async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
