import { describe, expect, it } from "vitest";
import { safeRedirect } from "./safe-redirect";

describe("the target of a form's redirect", () => {
  it.each(["/", "/#newsletter", "/premium", "/auth?tab=signup", "/a/b?c=d#e"])(
    "keeps the path %s of this site",
    (path) => {
      expect(safeRedirect(path)).toBe(path);
    },
  );

  it.each([
    "//evil.example",
    "/\\evil.example",
    "/a\\b",
    "https://evil.example/",
    "javascript:alert(1)",
    "evil",
    "",
    "/\r\nSet-Cookie: a=b",
    "/\t/evil.example",
    `/${"a".repeat(2_000)}`,
    undefined,
    ["/a", "/b"],
  ])("falls back for %j", (target) => {
    expect(safeRedirect(target, "/home")).toBe("/home");
  });
});
