import { expect, it } from "vitest";
import { secretInAddress, secretLinkHeaders, secretLinkMeta } from "./secret-link";

it("the secret of a link is its token, or empty", () => {
  expect(secretInAddress(new Request("http://book.example/a?x=1&token=abc"))).toBe("abc");
  expect(secretInAddress(new Request("http://book.example/a?x=1"))).toBe("");
});

it("a page with a secret in its URL tells other sites the origin alone, and is not cached", () => {
  expect(secretLinkHeaders({} as never)).toEqual({
    "Referrer-Policy": "strict-origin",
    "Cache-Control": "private, no-store",
  });
  expect(secretLinkMeta).toEqual({ name: "referrer", content: "strict-origin" });
});
