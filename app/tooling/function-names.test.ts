import { transform } from "esbuild";
import { describe, expect, it } from "vitest";
import { withoutFunctionNames } from "./function-names.mjs";

/** A script as the server's bundle is made of it. */
async function bundled(source: string): Promise<string> {
  const { code } = await transform(source, { keepNames: true, minifyWhitespace: true });
  return withoutFunctionNames(code);
}

async function defaultOf(source: string): Promise<unknown> {
  const code = await bundled(source);
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)).default;
}

describe("the server's functions", () => {
  it.each([
    ["declared", "function walk() {}"],
    ["in a variable", "const walk = () => 1;"],
    ["declared in a block", "let walk; { walk = stroll; function stroll() {} }"],
    [
      "created by another",
      "const walk = (() => { const stroll = async () => {}; return stroll; })();",
    ],
  ])("have their names without a call that sets them: %s", async (_how, source) => {
    const code = await bundled(source);
    expect(code.split("__name(")).toHaveLength(1);
    expect(await defaultOf(`${source} export default walk.name;`)).toMatch(/^(walk|stroll)$/);
  });

  it("are called where they stand", async () => {
    expect(await defaultOf("export default (function walk() { return typeof walk; })();")).toBe(
      "function",
    );
    expect(
      await defaultOf("const a = [1].map(function twice(b) { return b * 2; }); export default a;"),
    ).toEqual([2]);
  });
});

it("classes keep the names they have in the source, even where they had to be renamed", async () => {
  const code = await bundled("class Walk {} export default new Walk().constructor.name;");
  expect(code).toContain('__name(this,"Walk")');
  expect(
    await defaultOf("class Walk {} export default new (class extends Walk {})().constructor.name;"),
  ).toBe("");
  const renamed = code.replaceAll("Walk{", "Walk2{").replaceAll("new Walk(", "new Walk2(");
  const { default: name } = await import(`data:text/javascript,${encodeURIComponent(renamed)}`);
  expect(name).toBe("Walk");
});
