import { expect, test } from "vitest";
import { previousAttributes } from "./previous-attributes";

test("nothing has changed", () => {
  expect(previousAttributes({ a: 1, b: { c: [1] } }, { a: 1, b: { c: [1] } })).toBeNull();
});

test("the former values of what changed, and of nothing else", () => {
  expect(
    previousAttributes(
      { status: "active", cancel_at: null, details: { reason: null, comment: null }, list: [1, 2] },
      { status: "past_due", cancel_at: null, details: { reason: "x", comment: null }, list: [1] },
    ),
  ).toEqual({ status: "active", details: { reason: null }, list: [1, 2] });
});

test("a list object is given as a whole, what was absent as null", () => {
  const before = { items: { object: "list", data: [{ end: 1 }], url: "/x" } };
  const after = { items: { object: "list", data: [{ end: 2 }], url: "/x" }, added: "new" };
  expect(previousAttributes(before, after)).toEqual({ ...before, added: null });
});
