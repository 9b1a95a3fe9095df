import { parseAst } from "rollup/parseAst";

/** What esbuild names its function that sets a name, with `keepNames`. */
const SETS_NAME = "__name";

/** Where a function takes the name of what it is given to (ECMAScript, "NamedEvaluation"). */
const NAMING = new Set([
  "VariableDeclarator",
  "AssignmentExpression",
  "AssignmentPattern",
  "Property",
  "PropertyDefinition",
]);

/**
 * A script that esbuild has made with `keepNames`, without the calls that set the name of a function: each is made whenever
 * the function is created, which closures are with every request. Those of classes stay.
 *
 * A function then has the name that it is declared with, or that of the variable or property that it is given to, which
 * differs from the source's in a number at its end where two would have had the same.
 *
 * @param {string} script a module
 * @returns {string}
 */
export function withoutFunctionNames(script) {
  /** @type {[from: number, to: number, replacement: string][]} */
  const edits = [];
  visit(parseAst(script), null, (node, parent) => {
    if (node.type !== "CallExpression" || node.callee?.name !== SETS_NAME) return;
    const [named] = node.arguments ?? [];
    if (named?.type === "Identifier" && parent?.type === "ExpressionStatement") {
      edits.push([parent.start, parent.end, ""]);
    } else if (/^(Arrow)?FunctionExpression$/.test(named?.type ?? "") && named) {
      const [open, close] = parent && NAMING.has(parent.type) ? ["", ""] : ["(", ")"];
      edits.push([node.start, named.start, open], [named.end, node.end, close]);
    }
  });
  edits.sort(([one], [other]) => one - other);
  let at = 0;
  const parts = edits.map(([from, to, replacement]) => {
    const kept = script.slice(at, from) + replacement;
    at = to;
    return kept;
  });
  return parts.join("") + script.slice(at);
}

/**
 * A node of the syntax tree (ESTree), as far as it is read here.
 *
 * @typedef {{ type: string, start: number, end: number, callee?: { name?: string }, arguments?: Node[] }} Node
 */

/**
 * @param {object} node
 * @param {Node | null} parent
 * @param {(node: Node, parent: Node | null) => void} onNode
 */
function visit(node, parent, onNode) {
  const current = /** @type {Node} */ (node);
  onNode(current, parent);
  for (const part of Object.values(current).flat()) {
    if (typeof part === "object" && part && "type" in part) visit(part, current, onNode);
  }
}
