import type { HeadersFunction } from "@remix-run/node";

/**
 * What a browser may tell other sites of an address that is a key: the origin alone. Not `no-referrer`:
 * under that a browser posts the page's form with `Origin: null`, which is refused as foreign.
 */
const REFERRER_POLICY = "strict-origin";

/** A page's headers when its address is a key: no other site may learn it, and no cache may keep the page. */
export const secretLinkHeaders: HeadersFunction = () => ({
  "Referrer-Policy": REFERRER_POLICY,
  "Cache-Control": "private, no-store",
});

/** The same rule for a page that the browser came to without asking for the document. */
export const secretLinkMeta = { name: "referrer", content: REFERRER_POLICY };

/** The secret in the address of a request; "" where it was cut off. */
export function secretInAddress(request: Request): string {
  return new URL(request.url).searchParams.get("token") ?? "";
}
