import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as plain from "@remix-run/router";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withCachedMatching } from "./cached-route-matching.mjs";

const require = createRequire(import.meta.url);
const source = readFileSync(require.resolve("@remix-run/router"), "utf8");

const ROUTES = [
  {
    id: "root",
    path: "",
    children: [
      { id: "index", index: true },
      { id: "chapters", path: "chapters/:slug" },
      { id: "new", path: "chapters/new" },
      { id: "optional", path: "help/:topic?" },
      { id: "rest", path: "files/*" },
      { id: "exact", path: "Exact", caseSensitive: true },
    ],
  },
] satisfies plain.AgnosticRouteObject[];

const PATHS = [
  ...["/", "/chapters/one", "/chapters/new", "/CHAPTERS/Two", "/chapters/a%20b", "/chapters"],
  ...["/help", "/help/x", "/files", "/files/a/b", "/Exact", "/exact", "/nowhere", "//"],
];

describe("route matching that remembers", () => {
  const folder = mkdtempSync(join(tmpdir(), "golden-path-router-"));
  let cached: typeof plain;
  let _compiled: number;

  beforeAll(() => {
    const file = join(folder, "router.cjs");
    const counted = withCachedMatching(source)
      .replace(
        "function compilePath(path, caseSensitive, end) {",
        "module.exports.compiled = 0; function compilePath(path, caseSensitive, end) { module.exports.compiled++;",
      )
      .replace(
        "function matchRouteBranch(branch, pathname, allowPartial) {",
        "module.exports.tried = 0; function matchRouteBranch(branch, pathname, allowPartial) { module.exports.tried++;",
      );
    writeFileSync(file, counted);
    cached = require(file);
    _compiled = 0;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("matches as without, however often it is asked", () => {
    for (const _time of ["first", "second", "third"]) {
      for (const path of PATHS) {
        expect(cached.matchRoutes(ROUTES, path), path).toEqual(plain.matchRoutes(ROUTES, path));
      }
    }
    const others = [{ id: "other", path: "chapters/:name" }];
    expect(cached.matchRoutes(others, "/chapters/one")).toEqual(
      plain.matchRoutes(others, "/chapters/one"),
    );
  });

  it("gives everybody matches of their own", () => {
    for (const path of ["/chapters/new", "/chapters/one"]) {
      const expected = plain.matchRoutes(ROUTES, path);
      for (const match of cached.matchRoutes(ROUTES, path) ?? []) {
        Object.assign(match.params, { left: "by another" });
        match.pathname = "/elsewhere";
      }
      expect(cached.matchRoutes(ROUTES, path), path).toEqual(expected);
    }
  });

  it("is refused for a router that is written otherwise", () => {
    expect(() => withCachedMatching("export {}")).toThrow(/no longer has once/);
  });
});
