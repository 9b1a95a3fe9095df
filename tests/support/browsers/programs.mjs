import { spawnSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

const DOWNLOAD_LIMIT = 300_000;

/**
 * Every program with one of these names in the folders of PATH, in the order of the names.
 *
 * @param {string[]} names
 */
export function programsInPath(names) {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).filter(isProgram);
}

/**
 * Possible paths of a program on Windows: these relative paths in each folder for programs.
 *
 * @param {string[]} paths
 */
export function programsOfWindows(paths) {
  if (process.platform !== "win32") return [];
  return [process.env.PROGRAMFILES, process.env["PROGRAMFILES(X86)"], process.env.LOCALAPPDATA]
    .filter((folder) => folder !== undefined)
    .flatMap((folder) => paths.map((path) => join(folder, path)))
    .filter(isProgram);
}

/**
 * Installs packages of Debian or a derivative, which needs root and apt-get. Returns whether it succeeded.
 *
 * @param {string[]} packages
 * @param {(line: string) => void} log
 */
export function installByApt(packages, log) {
  if (!isRoot() || !succeeds("apt-get", ["--version"], "ignore")) return false;
  log(`Installing Debian's ${packages.join(", ")} (apt-get) …`);
  // an outdated package list may be enough if it cannot be updated
  succeeds("apt-get", ["update"]);
  return succeeds("apt-get", ["install", "--yes", "--no-install-recommends", ...packages]);
}

/**
 * Downloads Playwright's own build of a browser (`install`), or installs the system libraries it needs
 * (`install-deps`, as root). Returns whether it succeeded.
 *
 * @param {"install" | "install-deps"} command
 * @param {string} browser
 */
export function installByPlaywright(command, browser) {
  const manifest = createRequire(import.meta.url).resolve("playwright/package.json");
  return succeeds(process.execPath, [join(dirname(manifest), "cli.js"), command, browser]);
}

/** @param {string} path */
export function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

export function isRoot() {
  return process.getuid?.() === 0;
}

/**
 * The first program that starts.
 *
 * @param {string[]} paths
 * @param {(path: string) => Promise<string | null>} failureOf null for a program that starts
 */
export async function firstThatStarts(paths, failureOf) {
  for (const path of paths) if ((await failureOf(path)) === null) return path;
  return undefined;
}

/**
 * The browser that a variable names, if it is set. Throws an error of one sentence if that does not start.
 *
 * @param {string} variable
 * @param {(path: string) => Promise<string | null>} failureOf null for a browser that starts
 */
export async function configuredBrowser(variable, failureOf) {
  const configured = process.env[variable];
  if (!configured) return undefined;
  const failure = await failureOf(configured);
  if (failure === null) return configured;
  throw new Error(`The browser that ${variable} names, ${configured}, does not start: ${failure}.`);
}

/**
 * The reason why a browser did not start, in a few words.
 *
 * @param {unknown} error
 */
export function reason(error) {
  const message = error instanceof Error ? error.message : String(error);
  return (
    message
      .split("\n")[0]
      ?.replace(/^[\w.]+: /, "")
      .replace(/\.$/, "") ?? ""
  );
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
