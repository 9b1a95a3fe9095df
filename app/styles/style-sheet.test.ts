import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const app = resolve(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(app, file), "utf8");
const files = readdirSync(app, { recursive: true, encoding: "utf8" }).sort();
const sheets = files.filter((file) => file.endsWith(".css"));
const components = files.filter((file) => /(?<!\.test)\.tsx$/.test(file));
const markup = components.map(read).join("\n");

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

describe("the style sheet", () => {
  it("is made of all parts, with print last", () => {
    const imported = [...read("styles/app.css").matchAll(/^@import "(\..*)";$/gm)].map(
      ([, path = ""]) => relative(app, resolve(app, "styles", path)),
    );
    expect(imported.at(-1)).toBe("styles/print.css");
    expect([...imported, "styles/app.css"].sort()).toEqual(sheets);
  });

  it("has no class that no component has", () => {
    const named = sheets.flatMap((sheet) => classesOf(sheet).map((name) => ({ sheet, name })));
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter(({ name }) => !isGiven(name))).toEqual([]);
  });
});
