import { describe, expect, test } from "vitest";
import { ApiError } from "../engine/api-error";
import { decodeForm } from "./form";

describe("decodeForm", () => {
  test("nests what stands in brackets", () => {
    expect(decodeForm("a=1&items[0][price]=p&items[1][price]=q&metadata[user]=7")).toEqual({
      a: "1",
      items: { 0: { price: "p" }, 1: { price: "q" } },
      metadata: { user: "7" },
    });
  });

  test("numbers a list without indices", () => {
    expect(decodeForm("types[]=a&types[]=b")).toEqual({ types: { 0: "a", 1: "b" } });
  });

  test("reads encoded brackets, spaces and signs beyond ASCII", () => {
    expect(decodeForm("a%5Bb%5D=%F0%9F%8E%89+x%26y")).toEqual({ a: { b: "🎉 x&y" } });
  });

  test("takes the last of two values and a name without one as empty", () => {
    expect(decodeForm("a=1&a=2&b&&c=x=y")).toEqual({ a: "2", b: "", c: "x=y" });
  });

  test("keeps names that objects inherit as ordinary names", () => {
    const form = decodeForm("__proto__[x]=1&constructor=2");
    expect(Object.keys(form)).toEqual(["__proto__", "constructor"]);
    expect({}).not.toHaveProperty("x");
  });

  test.each([
    ["a broken encoding", "a=%zz"],
    ["an open bracket", "a[b=1"],
    ["a bracket first", "[a]=1"],
    ["text after a bracket", "a[b]c=1"],
    ["a value and a hash under one name", "a=1&a[b]=2"],
    ["a hash and a value under one name", "a[b]=2&a=1"],
    ["eleven levels", `a${"[b]".repeat(10)}=1`],
    ["too many fields", "a=1&".repeat(2_001)],
  ])("rejects %s", (_what, text) => {
    expect(() => decodeForm(text)).toThrow(ApiError);
  });
});
