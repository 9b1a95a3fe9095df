import { parseAst } from "rollup/parseAst";
import { visitSyntaxTree } from "./visit-syntax-tree.mjs";

/** What esbuild names its function that sets a name, with `keepNames`. */
const SETS_NAME = "__name";

const FUNCTION = /^(Arrow)?FunctionExpression$/;

/** Where a function needs no parentheses, which would have V8 compile it when the script is loaded. */
const ASSIGNING = new Set([
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
 * A function then has the name that it is declared with, or that of the variable or property that it is given to: where two
 * would have had the same, one has another number at its end than in the source, and one without a name an invented one.
 *
 * @param {string} script a module
 * @returns {string}
 */
export function withoutFunctionNames(script) {
  /** @type {[from: number, to: number, replacement: string][]} */
  const edits = [];
  const tree = parseAst(script);
  /** @type {Set<string>} */
  const functions = new Set();
  visitSyntaxTree(tree, ({ type, id, init }) => {
    // a declaration in a block is one of a variable by now
    const isFunction = type === "FunctionDeclaration" || FUNCTION.test(init?.type ?? "");
    if (isFunction && id?.name) functions.add(id.name);
  });
  visitSyntaxTree(tree, (node, parent) => {
    if (node.type !== "CallExpression" || node.callee?.name !== SETS_NAME) return;
    const [named] = node.arguments ?? [];
    if (parent?.type === "ExpressionStatement" && functions.has(named?.name ?? "")) {
      edits.push([parent.start, parent.end, ""]);
    } else if (named && FUNCTION.test(named.type)) {
      const [open, close] = parent && ASSIGNING.has(parent.type) ? ["", ""] : ["(", ")"];
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
