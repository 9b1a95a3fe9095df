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

/** The forms of the tokens in mailed links: random, an id with its signature, and a short signature. */
const TOKEN = String.raw`^[^\w-]*((?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.)?[\w-]{43}|[\w-]{22})`;
const WHOLE_TOKEN = new RegExp(`${TOKEN}(?![\\w-])`);
const TOKEN_BEFORE_DASH = new RegExp(`${TOKEN}(?![A-Za-z0-9])`);

/**
 * The secret in a request's URL, without what mail programs and people put into links: the full stop of the sentence,
 * brackets, line breaks, the `=3D` of quoted-printable. "" if it is missing.
 */
export function secretInAddress(request: Request): string {
  const given = new URL(request.url).searchParams.get("token") ?? "";
  const joined = given.replace(/[=\s]/g, "");
  // a token may itself begin with 3D
  const found =
    WHOLE_TOKEN.exec(joined) ??
    WHOLE_TOKEN.exec(joined.replace(/^3D/i, "")) ??
    TOKEN_BEFORE_DASH.exec(joined);
  return found?.[1] ?? given;
}
