import { declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";

/**
 * Leaves out the mutants of texts: strings of several words, and what a log line says. The wording of what
 * visitors read is held by the tests of the specification, in a browser; that of the log is not a rule.
 */
export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, "texts", {
    shouldIgnore(/** @type {any} */ path) {
      const text = textOf(path.node);
      if (text === null) return undefined;
      return /\S\s+\S/.test(text) || isLogMessage(path) ? "a text, not a rule" : undefined;
    },
  }),
];

/** @param {any} node a node of Babel's */
function textOf(node) {
  if (node.type === "StringLiteral") return node.value;
  if (node.type === "TemplateLiteral")
    return node.quasis.map((/** @type {any} */ { value }) => value.raw).join("…");
  return null;
}

/** Whether this is an argument of `log().info(…)` and the like. @param {any} path */
function isLogMessage({ parent }) {
  const logger = parent?.type === "CallExpression" ? parent.callee.object : null;
  return logger?.type === "CallExpression" && logger.callee.name === "log";
}
