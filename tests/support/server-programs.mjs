import { existsSync } from "node:fs";
import { installByApt, isProgram, isRoot, programsInPath } from "./browsers/programs.mjs";

/** Programs that the site is tested with as operators have them, by name, with their Debian packages. */
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
 * Installs those that are missing, from Debian, if this is root's machine without systemd, as a container is: elsewhere
 * a package would start its server at once. Says what stays missing, and that its tests are skipped.
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
 * What a test's name says if it is skipped for lack of a program, else nothing.
 *
 * @param {ServerProgram} name
 */
export function unlessInstalled(name) {
  return serverProgram(name) === null ? ` (skipped: ${name} is not installed)` : "";
}
