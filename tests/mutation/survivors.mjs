/**
 * Why mutants live on that no test notices, from the general to the particular. The first that fits counts;
 * `line` is found in the line that was changed, as it stands in the source.
 *
 * @typedef {{ file: string, line: string, mutator: string, replacement: string }} Change
 * @type {{ file?: string, line: string | RegExp, replacement?: RegExp, why: string }[]}
 */
const EXPLANATIONS = [
  {
    line: /\blog\(\)\.(debug|info|warn|error)\(/,
    replacement: /^\{\}$/,
    why: "what a log line says beside its message",
  },
];

/**
 * Why nothing notices a change, or null if nobody has said.
 *
 * @param {Change} change
 * @returns {string | null}
 */
export function explanationOf({ file, line, replacement }) {
  const found = EXPLANATIONS.find(
    (one) =>
      (one.file === undefined || file.endsWith(one.file)) &&
      (typeof one.line === "string" ? line.includes(one.line) : one.line.test(line)) &&
      (one.replacement === undefined || one.replacement.test(replacement)),
  );
  return found?.why ?? null;
}
