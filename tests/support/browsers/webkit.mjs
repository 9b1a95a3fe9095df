import { readdirSync } from "node:fs";
import { join } from "node:path";
import { webkit } from "playwright";
import {
  installByApt,
  installByPlaywright,
  isProgram,
  isRoot,
  programsInPath,
} from "./programs.mjs";

/**
 * A WebKit to test in: Playwright's own, or the WebDriver of Debian's WebKitGTK with its MiniBrowser and, if
 * there is no display, Xvfb.
 *
 * @typedef {{ kind: "playwright", path: string }
 *   | { kind: "webdriver", driver: string, browser: string, xvfb: string | null }} Webkit
 */

const NOT_FOUND =
  "No WebKit was found that starts, and none could be installed: run `npx playwright install --with-deps webkit`, or install Debian's webkit2gtk-driver and xvfb.";

/** The WebKit that is installed here. Throws an error of one sentence if there is none. */
export async function installedWebkit() {
  const found = (await playwrightWebkit()) ?? debianWebkit();
  if (found === null) throw new Error(NOT_FOUND);
  return found;
}

/**
 * The WebKit to test in, downloaded or installed if necessary: Playwright's own wherever available. Throws an
 * error of one sentence.
 *
 * @param {{ log?: (line: string) => void }} [options]
 * @returns {Promise<Webkit>}
 */
export async function findWebkit({ log = console.log } = {}) {
  const installed = await playwrightWebkit();
  if (installed !== null) return installed;
  log("Downloading Playwright's WebKit …");
  if (installByPlaywright("install", "webkit")) {
    const downloaded = await playwrightWebkit();
    if (downloaded !== null) return downloaded;
    if (isRoot() && installByPlaywright("install-deps", "webkit")) {
      const complete = await playwrightWebkit();
      if (complete !== null) return complete;
    }
  }
  if (debianWebkit() === null) installByApt(["webkit2gtk-driver", "xvfb"], log);
  return installedWebkit();
}

/** @returns {Promise<Webkit | null>} */
async function playwrightWebkit() {
  const path = webkit.executablePath();
  if (!isProgram(path)) return null;
  try {
    const browser = await webkit.launch();
    await browser.close();
    return { kind: "playwright", path };
  } catch {
    return null;
  }
}

/** @returns {Webkit | null} */
function debianWebkit() {
  const [driver] = programsInPath(["WebKitWebDriver"]);
  const [browser] = miniBrowsers();
  const [xvfb = null] = programsInPath(["Xvfb"]);
  const hasDisplay = process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  if (!driver || !browser || !(hasDisplay || xvfb)) return null;
  return { kind: "webdriver", driver, browser, xvfb: hasDisplay ? null : xvfb };
}

/** Paths of the MiniBrowser in Debian and derivatives: beside the library, in the architecture's folder. */
function miniBrowsers() {
  const folders = ["/usr/lib", ...childrenOf("/usr/lib"), "/usr/libexec"];
  return folders
    .flatMap((folder) => [...childrenOf(folder)].filter((path) => /\/webkit2?gtk-/.test(path)))
    .map((folder) => join(folder, "MiniBrowser"))
    .filter(isProgram);
}

/** @param {string} folder */
function childrenOf(folder) {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
