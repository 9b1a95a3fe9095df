import { execFileSync } from "node:child_process";

/**
 * The command that runs npm, with its first arguments: the npm that started this process, else the one on the
 * PATH.
 *
 * @returns {[string, ...string[]]}
 */
export function npmCommand() {
  const script = process.env.npm_execpath;
  return script && /npm-cli\.c?js$/.test(script) ? [process.execPath, script] : ["npm"];
}

/**
 * The major version of the npm that `npmCommand` runs.
 *
 * @returns {number}
 */
export function npmMajor() {
  const [command, ...start] = npmCommand();
  const shell = start.length === 0 && process.platform === "win32";
  return Number.parseInt(
    execFileSync(command, [...start, "--version"], { encoding: "utf8", shell }),
    10,
  );
}
