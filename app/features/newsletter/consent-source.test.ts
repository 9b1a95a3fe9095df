import { expect, it } from "vitest";
import { consentSourceSchema } from "./consent-source";

const problemOf = (source: string) =>
  consentSourceSchema.safeParse(source).error?.issues[0]?.message ?? null;

it("trims the source of consent", () => {
  expect(consentSourceSchema.parse("  the book fair, May 2026 ")).toBe("the book fair, May 2026");
});

it.each([
  ["it is empty", "   "],
  ["it is longer than 200 characters", "x".repeat(201)],
  ["it holds control characters", "the book\nfair"],
  ["it holds control characters", "the book fair\u001b[2Jx"],
])("reports '%s' for the source of consent %j", (problem, source) => {
  expect(problemOf(source)).toBe(problem);
});
