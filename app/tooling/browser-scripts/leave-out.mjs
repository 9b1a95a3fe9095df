import { parseAst } from "rollup/parseAst";
import { editSources } from "../edit-sources.mjs";
import { visitSyntaxTree } from "../visit-syntax-tree.mjs";
import { LEFT_OUT } from "./left-out.mjs";

/** Takes out of packages what `left-out.mjs` lists. Fails the build where a file has no longer what is listed. */
export function leaveOut() {
  const edits = Object.fromEntries(
    Object.entries(LEFT_OUT).map(([file, parts]) => [
      file,
      (/** @type {string} */ source) => withoutParts(file, source, parts),
    ]),
  );
  return editSources("leave-out", edits, ADVICE);
}

const ADVICE = "app/tooling/browser-scripts/left-out.mjs has to follow.";

/**
 * The source of a file without some of its parts. Throws if it does not have them, or has a function or class of a name
 * twice.
 *
 * @param {string} file for messages
 * @param {string} source
 * @param {import("./left-out.mjs").Parts} parts
 */
export function withoutParts(file, source, { functions = {}, statements = [], expressions = {} }) {
  const shorter = withoutStatements(file, withBodies(file, source, functions), statements);
  return withConstants(file, shorter, expressions);
}

/**
 * @param {string} file
 * @param {string} source
 * @param {Readonly<Record<string, string>>} bodies by the name of the function or class
 */
function withBodies(file, source, bodies) {
  /** @type {Map<string, { start: number, end: number }[]>} */
  const found = new Map(Object.keys(bodies).map((name) => [name, []]));
  visitSyntaxTree(parseAst(source), (node) => {
    if (node.type !== "FunctionDeclaration" && node.type !== "ClassDeclaration") return;
    found.get(node.id?.name)?.push(node.body);
  });
  const places = [...found].map(([name, [body, ...others]]) => {
    if (!body || others.length > 0) {
      throw new Error(`${file} has ${body ? "several of" : "no"} ${name}; ${ADVICE}`);
    }
    return { ...body, text: `{ ${bodies[name]} }` };
  });
  places.sort((a, b) => b.start - a.start);
  for (const { start, end, text } of places)
    source = source.slice(0, start) + text + source.slice(end);
  return source;
}

/**
 * @param {string} file
 * @param {string} source
 * @param {readonly string[]} beginnings of statements
 */
function withoutStatements(file, source, beginnings) {
  /** @type {{ start: number, end: number }[]} */
  const places = [];
  const missing = new Set(beginnings);
  visitSyntaxTree(parseAst(source), ({ type, start, end }) => {
    if (!/Statement$|^(Variable|Import)Declaration$/.test(type) || type === "BlockStatement")
      return;
    const beginning = beginnings.find((one) => source.startsWith(one, start));
    if (beginning === undefined || places.some((place) => place.end > start)) return;
    missing.delete(beginning);
    places.push({ start, end });
  });
  if (missing.size > 0) throw new Error(`${file} has no ${[...missing].join(", ")}; ${ADVICE}`);
  for (const { start, end } of places.sort((a, b) => b.start - a.start))
    source = `${source.slice(0, start)};${source.slice(end)}`;
  return source;
}

/**
 * @param {string} file
 * @param {string} source
 * @param {Readonly<Record<string, string>>} values by the expression
 */
function withConstants(file, source, values) {
  for (const [expression, value] of Object.entries(values)) {
    if (!source.includes(expression)) throw new Error(`${file} has no ${expression}; ${ADVICE}`);
    source = source.replaceAll(expression, value);
  }
  return source;
}
