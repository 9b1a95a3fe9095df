import { expect, it } from "vitest";
import { randomText } from "./random-text.server";

it("is 128 bits long and never the same, however often it is asked for", () => {
  const texts = Array.from({ length: 1_000 }, randomText);
  expect(new Set(texts).size).toBe(1_000);
  for (const text of texts) expect(Buffer.from(text, "base64")).toHaveLength(16);
  const bits = texts.flatMap((text) => [...Buffer.from(text, "base64")]);
  const average = bits.reduce((sum, byte) => sum + byte, 0) / bits.length;
  expect(average).toBeGreaterThan(115);
  expect(average).toBeLessThan(140);
});
