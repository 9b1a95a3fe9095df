import { existsSync } from "node:fs";
import { installByApt, isProgram, isRoot, programsInPath } from "./browsers/programs.mjs";

/** Server programs that the site is tested with, by name, with their Debian packages. */
const PACKAGES = {
  nginx: "nginx",
  caddy: "caddy",
  haproxy: "haproxy",
  psql: "postgresql-client",
  pgbouncer: "pgbouncer",
  openssl: "openssl",
};

/** @typedef {keyof typeof PACKAGES} ServerProgram */

/**
 * The path of such a program, or null if it is not installed and its tests are skipped.
 *
 * @param {ServerProgram} name
 * @returns {string | null}
 */
export function serverProgram(name) {
  // an ordinary user's PATH may lack the folder of servers
  return programsInPath([name])[0] ?? [`/usr/sbin/${name}`].find(isProgram) ?? null;
}

/**
 * Installs missing programs from Debian, if this runs as root without systemd, as in a container: elsewhere a package
 * would start its server at once. Reports programs that are still missing, whose tests are skipped.
 *
 * @param {{ log?: (line: string) => void }} [options]
 */
export function installServerPrograms({ log = console.log } = {}) {
  const names = /** @type {ServerProgram[]} */ (Object.keys(PACKAGES));
  const findMissing = () => names.filter((name) => serverProgram(name) === null);
  const missing = findMissing();
  if (missing.length === 0) return;
  const mayInstall = isRoot() && !existsSync("/run/systemd/system");
  if (mayInstall) {
    installByApt(
      missing.map((name) => PACKAGES[name]),
      log,
    );
  }
  const left = mayInstall ? findMissing() : missing;
  if (left.length === 0) return;
  log(`Not installed, so the tests that need them are skipped: ${left.join(", ")}.`);
}

/**
 * The note in a test's name if it is skipped for lack of a program, else "".
 *
 * @param {ServerProgram} name
 */
export function unlessInstalled(name) {
  return serverProgram(name) === null ? ` (skipped: ${name} is not installed)` : "";
}
