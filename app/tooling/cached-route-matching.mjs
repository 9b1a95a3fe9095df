import { editSources } from "./edit-sources.mjs";

const ADVICE = "app/tooling/cached-route-matching.mjs has to follow.";

/**
 * What becomes of parts of React Router's `router.js`, which for each match lists and ranks all routes anew, makes the
 * regular expressions of those it tries, and tries one route after the other: a quarter of a post's CPU time. The routes
 * never change while the server runs, so what matches a path without parameters never does either.
 */
const REPLACED = {
  "let branches = flattenRoutes(routes);\n  rankRouteBranches(branches);":
    "let branches = rankedBranchesOf(routes);",
  "for (let i = 0; matches == null && i < branches.length; ++i) {":
    "const exactMatches = exactMatchesOf(branches, allowPartial);\n  const exact = exactMatches.get(decoded);\n  if (exact) return copiesOf(exact);\n  for (let i = 0; matches == null && i < branches.length; ++i) {",
  "  return matches;\n}\nfunction convertRouteMatchToUiMatch(":
    "  if (matches && exactMatches.has(decoded)) exactMatches.set(decoded, copiesOf(matches));\n  return matches;\n}\nfunction convertRouteMatchToUiMatch(",
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
const exactMatchesByBranches = new WeakMap();
function exactMatchesOf(branches, allowPartial) {
  if (allowPartial) return new Map();
  let exactMatches = exactMatchesByBranches.get(branches);
  if (!exactMatches) {
    const paths = branches.map(({ path }) => path).filter((path) => !/[:*?]/.test(path));
    exactMatches = new Map(paths.map((path) => [path, null]));
    exactMatchesByBranches.set(branches, exactMatches);
  }
  return exactMatches;
}
function copiesOf(matches) {
  const params = { ...matches[0].params };
  return matches.map((match) => ({ ...match, params }));
}
const compiledByPattern = new Map();
function compiledPathOf({ path, caseSensitive, end }) {
  let compiledByKind = compiledByPattern.get(path);
  if (!compiledByKind) {
    compiledByKind = [];
    if (compiledByPattern.size < 1000) compiledByPattern.set(path, compiledByKind);
  }
  const kind = (caseSensitive ? 2 : 0) + (end ? 1 : 0);
  return (compiledByKind[kind] ??= compilePath(path, caseSensitive, end));
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
