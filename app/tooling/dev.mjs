// `npm run dev`: the demo, rebuilt and restarted after every edit; open pages then reload.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { discardBuild } from "./build.mjs";
import { bundleSandbox } from "./bundle-sandbox.mjs";
import { findInstallationMismatch } from "./installed-packages.mjs";
import { startLiveReloadServer } from "./live-reload-server.mjs";
import { NODE_FLAGS } from "./node-flags.mjs";
import { requireNode } from "./node-version.mjs";
import { whenNpmEnds } from "./npm-parent.mjs";
import { SetupError } from "./setup-error.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const assets = join(root, "public/build");

/** @typedef {import("node:child_process").ChildProcess} ChildProcess */

/** @type {ChildProcess | null} */
let program = null;
/** @type {ChildProcess | null} what the next build will run in */
let spare = null;
/** The restarts so far, each after the one before. */
let restarts = Promise.resolve();
let hasBeenReady = false;
let isStopping = false;

// the development builds of React and Remix, in the browser and on the server
process.env.NODE_ENV = "development";

try {
  requireNode(root);
  requirePackages();
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exit(1);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stop(0));
whenNpmEnds(() => stop(0));
discardBuild();
const { url, reloadPages } = await startLiveReloadServer();
await buildAndWatch();

function requirePackages() {
  const mismatch = findInstallationMismatch(root);
  if (mismatch === null) return;
  throw new SetupError(`The packages have to be installed: ${mismatch}. Run \`npm ci\`.`);
}

/** Builds the site now and after every edit, and runs every successful build. */
async function buildAndWatch() {
  // imports internals, because neither `remix dev` nor `remix watch` reports when a build is complete
  const [{ watch }, { createFileWatchCache }, { readConfig }, { logger }] = await Promise.all([
    import("@remix-run/dev/dist/compiler/watch.js"),
    import("@remix-run/dev/dist/compiler/fileWatchCache.js"),
    import("@remix-run/dev/dist/config.js"),
    import("@remix-run/dev/dist/tux/logger.js"),
  ]);
  const config = await readConfig(root);
  const options = { mode: "development", sourcemap: false, REMIX_DEV_ORIGIN: url };
  const fileWatchCache = createFileWatchCache();
  let editedAt = performance.now();

  /** @param {string} file */
  function onEdit(file) {
    editedAt = performance.now();
    fileWatchCache.invalidateFile(file);
    console.log(`${relative(root, file)} was edited.`);
  }

  await watch(
    { config, options, fileWatchCache, logger },
    {
      onFileCreated: onEdit,
      onFileChanged: onEdit,
      onFileDeleted: onEdit,
      onBuildFinish(_context, duration, succeeded) {
        if (!succeeded) return console.error("The build failed; the next edit triggers a new one.");
        const [since, begunAt] = [editedAt, Date.now() - duration];
        restarts = restarts.then(() => restart(since, begunAt));
      },
    },
  );
}

/**
 * Runs the new build in place of the previous one.
 *
 * @param {number} editedAt on the clock of `performance`
 * @param {number} buildBegunAt on the clock of files
 */
async function restart(editedAt, buildBegunAt) {
  const previous = program;
  program = null;
  await end(previous);
  await bundleSandbox().catch(() => {}); // esbuild has said why
  if (isStopping) return;
  removeAssetsBefore(buildBegunAt);
  const started = spare?.connected ? spare : startProcess();
  spare = null;
  program = started;
  started.once("exit", () => onEnd(started));
  // the demo prints what to try: once is enough
  started.send(hasBeenReady ? "serve" : "demo");
  const isReady = await Promise.race([
    once(started, "message").then(() => true),
    once(started, "exit").then(() => false),
  ]);
  if (!isReady || isStopping) return;
  hasBeenReady = true;
  reloadPages();
  console.log(`Ready, after ${((performance.now() - editedAt) / 1_000).toFixed(1)} s.`);
  spare = startProcess();
}

function startProcess() {
  return spawn(process.execPath, [...NODE_FLAGS, "app/tooling/dev-program.mjs"], {
    cwd: root,
    env: { ...process.env, PAYMENTS: "sandbox" },
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
}

/** @param {ChildProcess} ended */
function onEnd(ended) {
  if (isStopping || ended !== program) return;
  if (hasBeenReady) console.error("The program has exited; the next edit restarts it.");
  // a port in use, for example, which no edit would fix
  else void stop(1);
}

/** @param {ChildProcess | null} child */
async function end(child) {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

/**
 * Removes the assets of earlier builds, which the program would otherwise load into memory. Called only once
 * the next build is complete: until then a starting program may need them.
 *
 * @param {number} time
 */
function removeAssetsBefore(time) {
  for (const name of readdirSync(assets, { recursive: true, encoding: "utf8" })) {
    const entry = statSync(join(assets, name));
    if (entry.isFile() && entry.mtimeMs < time) rmSync(join(assets, name));
  }
}

/**
 * Stops everything, and removes the development build so that it cannot be mistaken for a production one.
 *
 * @param {0 | 1} code
 */
async function stop(code) {
  if (isStopping) return;
  isStopping = true;
  await Promise.all([end(program), end(spare), restarts]);
  discardBuild();
  process.exit(code);
}
