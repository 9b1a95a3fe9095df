import type { HeadersFunction } from "@remix-run/node";

/**
 * The referrer policy of a URL that contains a secret: other sites see the origin alone. Under `no-referrer`
 * a browser would post the page's form with `Origin: null`, which the guards reject.
 */
export const REFERRER_POLICY = "strict-origin";

/**
 * The headers of a page whose URL contains a secret: it must not leak to other sites, and the page not be
 * cached.
 */
export const secretLinkHeaders: HeadersFunction = () => ({
  "Referrer-Policy": REFERRER_POLICY,
  "Cache-Control": "private, no-store",
});

/** The same policy for client-side navigation, which does not request the document. */
export const secretLinkMeta = { name: "referrer", content: REFERRER_POLICY };

/** The secret in a request's URL; "" if it is missing. */
export function secretInAddress(request: Request): string {
  return new URL(request.url).searchParams.get("token") ?? "";
}
