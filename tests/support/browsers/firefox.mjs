import { setTimeout as pause } from "node:timers/promises";
import puppeteer from "puppeteer-core";
import {
  configuredBrowser,
  firstThatStarts,
  installByApt,
  isProgram,
  programsInPath,
  programsOfWindows,
  reason,
} from "./programs.mjs";

/** Environment variable that passes the Firefox found for a run on to processes started later; empty if none. */
const CONFIGURED = "FIREFOX_PATH";

/**
 * Starts a headless Firefox over WebDriver BiDi: the one `FIREFOX_PATH` names, else an installed one.
 * Playwright drives only a Firefox that it has built itself.
 *
 * @param {{ javaScript?: boolean, preferences?: Record<string, string | number | boolean> }} [options]
 *   `preferences` are those of about:config
 * @returns {Promise<import("puppeteer-core").Browser>}
 */
export async function launchFirefox(options = {}) {
  const path = firefoxPath();
  if (path === null) throw new Error(NOT_FOUND);
  return launch(path, options);
}

/**
 * Sets the size of a page's window, in CSS pixels. Debian's Firefox 140 does not know the command for the screen's
 * orientation, which puppeteer sends along with the size.
 *
 * @param {import("puppeteer-core").Page} page
 * @param {{ width: number, height: number }} size
 */
export async function resizeFirefox(page, size) {
  try {
    await page.setViewport(size);
  } catch (error) {
    if (!(error instanceof Error && error.message.includes("setScreenOrientationOverride")))
      throw error;
  }
  // polled from here, since the page's JavaScript may be turned off
  while ((await page.evaluate(() => window.innerWidth)) !== size.width) await pause(50);
}

/** The Firefox that tests run in, or null if there is none and they are skipped. */
export function firefoxPath() {
  return (process.env[CONFIGURED] ?? installedFirefoxes()[0]) || null;
}

/**
 * Returns the path of a Firefox that starts here: the configured one, an installed one, or Debian's, installed if
 * necessary. Returns null after a message if there is none. Throws an error of one sentence if the configured one
 * does not start.
 *
 * @param {{ log?: (line: string) => void }} [options]
 * @returns {Promise<string | null>}
 */
export async function findFirefox({ log = console.log } = {}) {
  const configured = await configuredBrowser(CONFIGURED, failureOf);
  if (configured !== undefined) return configured;
  const found =
    (await firstThatStarts(installedFirefoxes(), failureOf)) ??
    (installByApt(["firefox-esr"], log)
      ? await firstThatStarts(installedFirefoxes(), failureOf)
      : undefined);
  if (found === undefined) log(NOT_FOUND);
  return found ?? null;
}

const NOT_FOUND = `No Firefox was found that starts, and none could be installed, so its tests are skipped: install one, or name it in ${CONFIGURED}.`;

function installedFirefoxes() {
  const mac = ["/Applications/Firefox.app/Contents/MacOS/firefox"];
  return [
    ...programsInPath(["firefox-esr", "firefox"]),
    ...(process.platform === "darwin" ? mac.filter(isProgram) : []),
    ...programsOfWindows(["Mozilla Firefox/firefox.exe"]),
  ];
}

/**
 * Returns null for a Firefox that starts and shows a page, else the reason in a few words.
 *
 * @param {string} path
 */
async function failureOf(path) {
  try {
    const browser = await launch(path);
    const page = await browser.newPage();
    await page.goto("data:text/html,ready");
    await browser.close();
    return null;
  } catch (error) {
    return reason(error);
  }
}

/**
 * @param {string} executablePath
 * @param {Parameters<typeof launchFirefox>[0]} [options]
 */
function launch(executablePath, { javaScript = true, preferences = {} } = {}) {
  return puppeteer.launch({
    browser: "firefox",
    executablePath,
    headless: true,
    timeout: 60_000,
    extraPrefsFirefox: {
      // a preference, since the ESR's protocol has no command for it
      ...(javaScript ? {} : { "javascript.enabled": false }),
      // makes the photographs' host unreachable: every run sees the same pages
      "network.dns.localDomains": "images.unsplash.com",
      ...preferences,
    },
  });
}
