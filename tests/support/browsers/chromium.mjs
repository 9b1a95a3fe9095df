import { existsSync } from "node:fs";
import { chromium } from "playwright";
import {
  configuredBrowser,
  firstThatStarts,
  installByApt,
  installByPlaywright,
  isProgram,
  isRoot,
  programsInPath,
  programsOfWindows,
  reason,
} from "./programs.mjs";

/** Environment variable that passes the browser found for a run on to the processes started later. */
const CONFIGURED = "CHROMIUM_PATH";

/**
 * Makes no calls home, which fail in a closed network. Renders text as wide as on screens: the headless shell would
 * round every letter of a web font to whole pixels.
 */
const FLAGS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--font-render-hinting=none",
];

/**
 * Makes all hosts but this machine unresolvable: every run sees the pages without their photographs.
 */
export const NO_OTHER_HOSTS = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost";

/**
 * Starts a headless Chromium: the one `CHROMIUM_PATH` names, else the first that starts on this machine. Installs
 * nothing.
 *
 * @param {import("playwright").LaunchOptions} [options]
 * @returns {Promise<import("playwright").Browser>}
 */
export async function launchChromium(options = {}) {
  const executablePath =
    process.env[CONFIGURED] ?? (await firstThatStarts(installedBrowsers(), failureOf));
  if (executablePath === undefined) throw new Error(NOT_FOUND);
  return launch(executablePath, options);
}

/**
 * Returns the path of a Chromium that starts here: the configured one, an installed one, or Playwright's. Downloads
 * or installs one if there is none. Throws an error of one sentence.
 *
 * @param {{ log?: (line: string) => void }} [options]
 * @returns {Promise<string>}
 */
export async function findChromium({ log = console.log } = {}) {
  const configured = await configuredBrowser(CONFIGURED, failureOf);
  if (configured !== undefined) return configured;
  const installed = await firstThatStarts(installedBrowsers(), failureOf);
  if (installed !== undefined) return installed;
  for (const get of [download, installLibraries, installDebianPackage]) {
    if (!get(log)) continue;
    const found = await firstThatStarts(installedBrowsers(), failureOf);
    if (found !== undefined) return found;
  }
  throw new Error(NOT_FOUND);
}

const NOT_FOUND = `No Chromium or Chrome was found that starts, and none could be installed: install one, or name it in ${CONFIGURED}.`;

/** Every Chromium this machine may have, in the order they are tried; Playwright's own is the last. */
function installedBrowsers() {
  const mac = ["Google Chrome", "Chromium"].map(
    (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
  );
  const candidates = [
    // the headless-only one first, since it takes two thirds of the processor time
    ...programsInPath([
      "chromium-headless-shell",
      "chromium",
      "chromium-browser",
      "google-chrome-stable",
      "google-chrome",
    ]),
    ...(process.platform === "darwin" ? mac : []),
    ...programsOfWindows([
      "Google/Chrome/Application/chrome.exe",
      "Chromium/Application/chrome.exe",
    ]),
    chromium.executablePath(),
  ];
  return [...new Set(candidates)].filter(isProgram);
}

/**
 * Returns null for a browser that starts and shows a page, else the reason in a few words.
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
    return reason(error);
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
    // some systems do not let ordinary users create the namespaces that Chromium's sandbox needs
    return chromium.launch({ ...settings, chromiumSandbox: false });
  }
}

/** @param {(line: string) => void} log */
function download(log) {
  log("No Chromium was found: downloading Playwright's …");
  return installByPlaywright("install", "chromium");
}

/**
 * The system libraries of a downloaded browser that does not start without them.
 *
 * @param {(line: string) => void} log
 */
function installLibraries(log) {
  if (!isRoot() || !isProgram(chromium.executablePath())) return false;
  log("Installing the libraries it needs …");
  return installByPlaywright("install-deps", "chromium");
}

/** @param {(line: string) => void} log */
function installDebianPackage(log) {
  // some Debian releases do not package the headless shell yet
  return installByApt(["chromium-headless-shell"], log) || installByApt(["chromium"], log);
}

function isContainer() {
  return existsSync("/.dockerenv") || existsSync("/run/.containerenv");
}
