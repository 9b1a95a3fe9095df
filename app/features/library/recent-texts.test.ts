import { describe, expect, it } from "vitest";
import { RecentTexts } from "./recent-texts";

function textsOf(maxCharacters: number, ...entries: [string, string][]): RecentTexts {
  const texts = new RecentTexts(maxCharacters);
  for (const [name, text] of entries) texts.set(name, text);
  return texts;
}

describe("recent texts", () => {
  it("are kept up to as many characters as are allowed", () => {
    const texts = textsOf(10, ["one", "12345"], ["two", "67890"]);
    expect([texts.get("one"), texts.get("two"), texts.get("three")]).toEqual([
      "12345",
      "67890",
      undefined,
    ]);
  });

  it("make room for another, those used longest ago first", () => {
    const texts = textsOf(10, ["one", "123"], ["two", "456"], ["three", "789"]);
    texts.get("one");
    texts.set("four", "12345");
    const kept = ["one", "two", "three", "four"].map((name) => texts.get(name));
    expect(kept).toEqual(["123", undefined, undefined, "12345"]);
  });

  it("do not count what they have replaced, or what is gone", () => {
    const texts = textsOf(10, ["one", "12345"], ["one", "1234567890"], ["one", "12"]);
    texts.set("two", "12345678");
    expect([texts.get("one"), texts.get("two")]).toEqual(["12", "12345678"]);
    texts.set("three", "1234567890");
    texts.set("four", "1");
    texts.set("five", "123456789");
    expect(["three", "four", "five"].map((name) => texts.get(name))).toEqual([
      undefined,
      "1",
      "123456789",
    ]);
  });

  it("that are longer than all of them may be are not kept", () => {
    const texts = textsOf(10, ["one", "12345"], ["long", "12345678901"], ["two", "12345"]);
    expect([texts.get("long"), texts.get("two")]).toEqual([undefined, "12345"]);
  });
});
