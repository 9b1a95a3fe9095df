import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { chromium } from "playwright";

/** Names the browser of a run once it is found, for the processes started after. */
const CONFIGURED = "CHROMIUM_PATH";
const DOWNLOAD_LIMIT = 300_000;

/** Quiet: no calls home, which a closed network would turn into errors. */
const FLAGS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Starts a headless Chromium: the one `CHROMIUM_PATH` names, else the first that starts on this
 * machine. Nothing is installed for it.
 *
 * @param {import("playwright").LaunchOptions} [options]
 * @returns {Promise<import("playwright").Browser>}
 */
export async function launchBrowser(options = {}) {
  const executablePath = process.env[CONFIGURED] ?? (await firstThatStarts(installedBrowsers()));
  if (executablePath === undefined) throw new Error(NOT_FOUND);
  return launch(executablePath, options);
}

/**
 * The path of a Chromium that really starts here: the configured one, an installed one, Playwright's,
 * and if there is none, one that is downloaded or installed now. Throws an error of one sentence.
 *
 * @param {{ log?: (line: string) => void }} [options]
 * @returns {Promise<string>}
 */
export async function findBrowser({ log = console.log } = {}) {
  const configured = process.env[CONFIGURED];
  if (configured) {
    const failure = await failureOf(configured);
    if (failure === null) return configured;
    throw new Error(
      `The browser that ${CONFIGURED} names, ${configured}, does not start: ${failure}.`,
    );
  }
  const installed = await firstThatStarts(installedBrowsers());
  if (installed !== undefined) return installed;
  for (const get of [downloadByPlaywright, installLibraries, installByApt]) {
    if (!get(log)) continue;
    const found = await firstThatStarts(installedBrowsers());
    if (found !== undefined) return found;
  }
  throw new Error(NOT_FOUND);
}

const NOT_FOUND = `No Chromium or Chrome was found that starts, and none could be installed: install one, or name it in ${CONFIGURED}.`;

/** Every Chromium this machine may have, in the order they are tried; Playwright's own is the last. */
function installedBrowsers() {
  const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  const windows = [
    process.env.PROGRAMFILES,
    process.env["PROGRAMFILES(X86)"],
    process.env.LOCALAPPDATA,
  ]
    .filter((folder) => folder !== undefined)
    .flatMap((folder) => [
      join(folder, "Google/Chrome/Application/chrome.exe"),
      join(folder, "Chromium/Application/chrome.exe"),
    ]);
  const mac = ["Google Chrome", "Chromium"].map(
    (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
  );
  const candidates = [
    ...names.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...(process.platform === "darwin" ? mac : []),
    ...(process.platform === "win32" ? windows : []),
    chromium.executablePath(),
  ];
  return [...new Set(candidates)].filter(isProgram);
}

/** @param {string[]} paths */
async function firstThatStarts(paths) {
  for (const path of paths) if ((await failureOf(path)) === null) return path;
  return undefined;
}

/**
 * Null for a browser that starts and shows a page, else the reason in a few words.
 *
 * @param {string} executablePath
 */
async function failureOf(executablePath) {
  try {
    const browser = await launch(executablePath, { timeout: 30_000 });
    const page = await browser.newPage();
    await page.setContent("<p>ready</p>");
    await browser.close();
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return (
      message
        .split("\n")[0]
        ?.replace(/^[\w.]+: /, "")
        .replace(/\.$/, "") ?? ""
    );
  }
}

/**
 * @param {string} executablePath
 * @param {import("playwright").LaunchOptions} options
 */
async function launch(executablePath, { args = [], ...options } = {}) {
  const settings = { executablePath, args: [...FLAGS, ...args], ...options };
  if (isRoot() || isContainer()) return chromium.launch({ ...settings, chromiumSandbox: false });
  try {
    return await chromium.launch({ ...settings, chromiumSandbox: true });
  } catch {
    // some systems let no ordinary user make the namespaces Chromium's sandbox is built of
    return chromium.launch({ ...settings, chromiumSandbox: false });
  }
}

/** @param {(line: string) => void} log */
function downloadByPlaywright(log) {
  log("No Chromium was found: downloading Playwright's …");
  return succeeds(process.execPath, [playwrightCli(), "install", "chromium"]);
}

/**
 * The system libraries of a downloaded browser that does not start without them.
 *
 * @param {(line: string) => void} log
 */
function installLibraries(log) {
  if (!isRoot() || !isProgram(chromium.executablePath())) return false;
  log("Installing the libraries it needs …");
  return succeeds(process.execPath, [playwrightCli(), "install-deps", "chromium"]);
}

function playwrightCli() {
  const manifest = createRequire(import.meta.url).resolve("playwright/package.json");
  return join(dirname(manifest), "cli.js");
}

/** @param {(line: string) => void} log */
function installByApt(log) {
  if (!isRoot() || !succeeds("apt-get", ["--version"], "ignore")) return false;
  log("Installing Debian's chromium (apt-get) …");
  // an old list of packages may do where a new one cannot be had
  succeeds("apt-get", ["update"]);
  return succeeds("apt-get", ["install", "--yes", "--no-install-recommends", "chromium"]);
}

/**
 * @param {string} command
 * @param {string[]} parameters
 * @param {"inherit" | "ignore"} [output]
 */
function succeeds(command, parameters, output = "inherit") {
  const { status } = spawnSync(command, parameters, {
    stdio: ["ignore", output, output],
    timeout: DOWNLOAD_LIMIT,
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return status === 0;
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isRoot() {
  return process.getuid?.() === 0;
}

function isContainer() {
  return existsSync("/.dockerenv") || existsSync("/run/.containerenv");
}
