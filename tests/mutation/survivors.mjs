import { explanations as accounts } from "./survivors/accounts.mjs";
import { explanations as billing } from "./survivors/billing.mjs";
import { explanations as cache } from "./survivors/cache.mjs";
import { explanations as guards } from "./survivors/guards.mjs";
import { explanations as limits } from "./survivors/limits.mjs";
import { explanations as newsletter } from "./survivors/newsletter.mjs";

/**
 * A change to a source file that no test notices: the line as it stands there, and what replaces a part of it.
 *
 * @typedef {{ file: string, line: string, replacement: string }} Change
 *
 * Why such changes are not noticed; `line` is found in the line that was changed.
 *
 * @typedef {{ file?: string, line: string | RegExp, replacement?: RegExp, why: string }} Explanation
 */

/**
 * From the general to the particular, a list for each module. The first that fits counts.
 *
 * @type {Explanation[]}
 */
const EXPLANATIONS = [
  {
    line: /\blog\(\)\.(debug|info|warn|error)\(/,
    replacement: /^\{\}$/,
    why: "what a log line says beside its message",
  },
  {
    line: /\[.*= "".*\] = .*\.split\(/,
    why: "equivalent: a default that only satisfies the types",
  },
  {
    line: /\.prepare\("|find_viewer_by_session_with_/,
    replacement: /^(""|``)$/,
    why: "equivalent: a statement's name, which says what it is for; the driver has names of its own",
  },
  ...accounts,
  ...billing,
  ...newsletter,
  ...guards,
  ...cache,
  ...limits,
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
