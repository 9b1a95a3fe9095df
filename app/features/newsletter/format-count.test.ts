import { expect, it } from "vitest";
import { formatCount } from "./format-count";

it.each([
  ["1 mail", 1, "mail"],
  ["0 mails", 0, "mail"],
  ["2,000 mails", 2_000, "mail"],
  ["100,010", 100_010, undefined],
])("a count is written '%s'", (text, count, noun) => {
  expect(formatCount(count, noun)).toBe(text);
});
