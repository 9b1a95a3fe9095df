import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

it("the build imports nothing but the production packages that package.json names", () => {
  const build = read("build/index.js");
  const imported = [
    ...build.matchAll(
      /^(?:import|export) [^;]*?from "([^"./][^"]*)";|\bimport\("([^"./][^"]*)"\)/gm,
    ),
  ]
    .map(([, stated, dynamic]) => stated ?? dynamic ?? "")
    .filter((name) => !isBuiltin(name) && !name.startsWith("#"))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
  const { dependencies } = JSON.parse(read("package.json"));
  expect(imported).toContain("html-to-text");
  expect([...new Set(imported)].filter((name) => !(name in dependencies))).toEqual([]);
});

it("the mail components are in the build, without what their package brings along", () => {
  const sources = [
    ...read("build/index.js").matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)\//gm),
  ];
  const packages = new Set(sources.map(([, name]) => name));
  expect([...packages].sort()).toEqual(["@react-email/render", "entities", "react-email"]);
});
