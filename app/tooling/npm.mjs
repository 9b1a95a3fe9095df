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
