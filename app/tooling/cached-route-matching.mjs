import { editSources } from "./edit-sources.mjs";

const ADVICE = "app/tooling/cached-route-matching.mjs has to follow.";

/**
 * What becomes of parts of React Router's `router.js`, which for each match lists and ranks all routes anew, and makes the
 * regular expressions of those it tries: a tenth of a post's CPU time. The routes never change while the server runs.
 */
const REPLACED = {
  "let branches = flattenRoutes(routes);\n  rankRouteBranches(branches);":
    "let branches = rankedBranchesOf(routes);",
  "let [matcher, compiledParams] = compilePath(pattern.path, pattern.caseSensitive, pattern.end);":
    "let [matcher, compiledParams] = compiledPathOf(pattern);",
};

/** Paths are those of routes; the limit is for whoever matches others. */
const ADDED = `
const branchesByRoutes = new WeakMap();
function rankedBranchesOf(routes) {
  let branches = branchesByRoutes.get(routes);
  if (!branches) {
    branches = flattenRoutes(routes);
    rankRouteBranches(branches);
    branchesByRoutes.set(routes, branches);
  }
  return branches;
}
const compiledByPattern = new Map();
function compiledPathOf({ path, caseSensitive, end }) {
  const key = JSON.stringify([path, caseSensitive, end]);
  let compiled = compiledByPattern.get(key);
  if (!compiled) {
    compiled = compilePath(path, caseSensitive, end);
    if (compiledByPattern.size < 1000) compiledByPattern.set(key, compiled);
  }
  return compiled;
}
`;

/**
 * React Router with route matching that remembers. Throws if the source has no longer what is replaced.
 *
 * @param {string} source
 */
export function withCachedMatching(source) {
  let replaced = source;
  for (const [part, replacement] of Object.entries(REPLACED)) {
    if (replaced.split(part).length !== 2) {
      throw new Error(`React Router's source no longer has once '${part}': ${ADVICE}`);
    }
    replaced = replaced.replace(part, () => replacement);
  }
  return replaced + ADDED;
}

/** Puts `withCachedMatching` into the server's bundle. Fails the build if the router is not part of it. */
export function cachedRouteMatching() {
  const edits = { "@remix-run/router/dist/router.cjs.js": withCachedMatching };
  return editSources("cached-route-matching", edits, ADVICE);
}
