import { describe, expect, it } from "vitest";
import { withoutParts } from "./leave-out.mjs";

const SOURCE = `
import { a } from "a";
class Deferred { then() { return a; } }
function outer() {
  async function inner(x) { return x + 1; }
  let flag = true;
  if (flag) { inner(1); }
  return flag && inner(2);
}
export { outer, Deferred };
`;

describe("leaving parts of a file out", () => {
  it("replaces bodies, removes statements and changes expressions", () => {
    const shorter = withoutParts("file.js", SOURCE, {
      functions: { inner: "return 0;", Deferred: "" },
      statements: ["if (flag)", 'import { a } from "a"'],
      expressions: { "flag && ": "" },
    });
    expect(shorter.replace(/\s+/g, " ").trim()).toBe(
      "; class Deferred { } function outer() { async function inner(x) { return 0; } let flag = true; ; return inner(2); } export { outer, Deferred };",
    );
  });

  it.each([
    [{ functions: { gone: "" } }, "no gone"],
    [{ statements: ["while (flag)"] }, "no while (flag)"],
    [{ expressions: { "flag || ": "" } }, "no flag || "],
  ])("fails when the file no longer has what is named: %o", (parts, complaint) => {
    expect(() => withoutParts("file.js", SOURCE, parts)).toThrow(`file.js has ${complaint}`);
  });
});
