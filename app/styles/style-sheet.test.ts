import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const app = resolve(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(app, file), "utf8");
const files = readdirSync(app, { recursive: true, encoding: "utf8" }).sort();
/** All but that of the book for e-readers. */
const sheets = files.filter((file) => file.endsWith(".css") && !file.includes("/book-files/"));
const components = files.filter((file) => /(?<!\.test)\.tsx$/.test(file));
/** What makes markup; the text of a chapter is rendered when its edition is imported. */
const makers = [...components, "features/library/importer/render-document.server.ts"];
const markup = makers.map(read).join("\n");

const withoutComments = (css: string) => css.replace(/\/\*.*?\*\//gs, "");

/** The classes that a style sheet's selectors name. */
function classesOf(sheet: string): string[] {
  const selectors = withoutComments(read(sheet)).matchAll(/[^{};]+(?=\{)/g);
  const named = [...selectors]
    .filter(([selector]) => !selector.trim().startsWith("@"))
    .flatMap(([selector]) => [...selector.matchAll(/\.([a-z][\w-]*)/g)]);
  return [...new Set(named.map(([, name = ""]) => name))];
}

/** Whether some component gives its markup this class, in whole or by a name put together from parts. */
function isGiven(name: string): boolean {
  if (new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(markup)) return true;
  return [...markup.matchAll(/([a-z][\w-]*-)\$\{/g)].some(([, start = ""]) =>
    name.startsWith(start),
  );
}

/** A style sheet's imports, in their order. */
const importsOf = (sheet: string) =>
  [...read(sheet).matchAll(/^@import "(\..*)";$/gm)].map(([, path = ""]) =>
    relative(app, resolve(app, dirname(sheet), path)),
  );

/** The style sheets that pages link: that of all pages, and those of features. */
const linked = [...files.filter((file) => file.endsWith(".tsx")).map(read)].flatMap((text) =>
  [...text.matchAll(/^import \w+ from "~\/(.*\.css)";$/gm)].map(([, sheet = ""]) => sheet),
);

describe("the style sheets", () => {
  it("are made of all parts", () => {
    expect(new Set(linked)).toContain("styles/app.css");
    const parts = new Set(linked.flatMap((sheet) => [sheet, ...importsOf(sheet)]));
    expect([...parts].sort()).toEqual(sheets);
  });

  it("of all pages has none of a single feature's parts, and ends with print", () => {
    const parts = importsOf("styles/app.css");
    expect(parts.filter((sheet) => sheet.startsWith("features/"))).toEqual([]);
    expect(parts.at(-1)).toBe("styles/print.css");
  });

  it("have no class that no component has", () => {
    const named = sheets.flatMap((sheet) => classesOf(sheet).map((name) => ({ sheet, name })));
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter(({ name }) => !isGiven(name))).toEqual([]);
  });
});
