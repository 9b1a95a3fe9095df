import type { ServerResponse } from "node:http";
import { env } from "~/env.server";
import { paymentPageOrigins, stripeJsOrigins } from "~/features/billing/stripe-origins.server";
import { PHOTO_ORIGIN } from "~/features/landing/photo-host";
import { LIVE_RELOAD_URL } from "~/ui/live-reload";

const YEAR_SECONDS = 31_536_000;

let common: [string, string][] | undefined;

/** The headers of every answer, whatever it is: pages, assets, redirects, errors. */
export function commonHeaders(): [string, string][] {
  common ??= [
    ["X-Content-Type-Options", "nosniff"],
    // a page's own forms need the Origin header, so 'no-referrer' would refuse them
    ["Referrer-Policy", "strict-origin-when-cross-origin"],
    ["Permissions-Policy", "camera=(), microphone=(), geolocation=(), browsing-topics=()"],
    ["X-Frame-Options", "DENY"],
    ["Cross-Origin-Opener-Policy", "same-origin"],
    ["Cross-Origin-Resource-Policy", "same-origin"],
    ...strictTransport(),
  ];
  return common;
}

/** https from now on; for all names below the site's too only where the operator says that they have it. */
function strictTransport(): [string, string][] {
  const { PUBLIC_URL, HSTS_INCLUDE_SUBDOMAINS } = env();
  if (!PUBLIC_URL.startsWith("https:")) return [];
  const subdomains = HSTS_INCLUDE_SUBDOMAINS ? "; includeSubDomains" : "";
  return [["Strict-Transport-Security", `max-age=${YEAR_SECONDS}${subdomains}`]];
}

/** Puts the common headers, and the policy of what is not a page, on an answer. */
export function setCommonHeaders(response: ServerResponse): void {
  for (const [name, value] of commonHeaders()) response.setHeader(name, value);
  response.setHeader("Content-Security-Policy", NO_PAGE_POLICY);
}

/**
 * For what is not a page: if a browser shows it as one all the same, nothing in it runs. The browser then asks
 * for `/favicon.ico` too, which the policy has to allow, or the browser logs a violation.
 */
export const NO_PAGE_POLICY =
  "default-src 'none'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'";

/**
 * The Content-Security-Policy of a page whose inline scripts are those of `scriptSources`: a nonce for a
 * page rendered for one visitor, hashes for one that is cached. Forms may lead to the payment pages,
 * because Chromium also checks where a form's answer redirects to.
 */
export function pagePolicy(scriptSources: readonly string[]): string {
  const { scripts, frames, connections } = stripeJsOrigins();
  const directives: Record<string, string[]> = {
    "default-src": ["'none'"],
    "script-src": ["'self'", ...scriptSources, ...scripts],
    "style-src": ["'self'"],
    // the Radix parts place themselves with style attributes
    "style-src-attr": ["'unsafe-inline'"],
    "img-src": ["'self'", PHOTO_ORIGIN],
    "font-src": ["'self'"],
    "connect-src": ["'self'", ...connections, ...(LIVE_RELOAD_URL ? [LIVE_RELOAD_URL] : [])],
    "frame-src": frames.length > 0 ? frames : ["'none'"],
    "manifest-src": ["'self'"],
    "form-action": ["'self'", ...paymentPageOrigins()],
    "frame-ancestors": ["'none'"],
    "base-uri": ["'none'"],
    "object-src": ["'none'"],
    ...(env().PUBLIC_URL.startsWith("https:") ? { "upgrade-insecure-requests": [] } : {}),
  };
  return Object.entries(directives)
    .map(([name, sources]) => [name, ...sources].join(" "))
    .join("; ");
}
