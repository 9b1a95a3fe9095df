import type { ServerResponse } from "node:http";
import { DEVELOPMENT_SERVER, env } from "~/env.server";
import { paymentPageOrigins, stripeJsOrigins } from "~/features/billing/stripe-origins.server";
import { communityOrigins } from "~/features/community/discourse-connect.server";
import { PHOTO_ORIGIN } from "~/features/landing/stock-photo";
import { currentSite } from "~/features/site/current-site.server";
import { hasStockPhoto } from "~/features/site/site";

const YEAR_SECONDS = 31_536_000;

let common: [string, string][] | undefined;

/** The headers of every response: pages, assets, redirects, errors. */
export function commonHeaders(): [string, string][] {
  common ??= [
    ["X-Content-Type-Options", "nosniff"],
    // same-site forms need the Origin header, which 'no-referrer' would set to null
    ["Referrer-Policy", "strict-origin-when-cross-origin"],
    ["Permissions-Policy", "camera=(), microphone=(), geolocation=(), browsing-topics=()"],
    ["X-Frame-Options", "DENY"],
    ["Cross-Origin-Opener-Policy", "same-origin"],
    ["Cross-Origin-Resource-Policy", "same-origin"],
    ...strictTransport(),
  ];
  return common;
}

/** HSTS; for subdomains only where the operator states that all of them support https. */
export function strictTransport({
  includeSubdomains = env().HSTS_INCLUDE_SUBDOMAINS,
} = {}): [string, string][] {
  if (!env().PUBLIC_URL.startsWith("https:")) return [];
  const subdomains = includeSubdomains ? "; includeSubDomains" : "";
  return [["Strict-Transport-Security", `max-age=${YEAR_SECONDS}${subdomains}`]];
}

/**
 * Sets the common headers and the policy for responses that are not pages. Pages of other sites may show those that are
 * `embeddable`.
 */
export function setCommonHeaders(response: ServerResponse, { embeddable = false } = {}): void {
  for (const [name, value] of commonHeaders()) response.setHeader(name, value);
  if (embeddable) response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
  response.setHeader("Content-Security-Policy", NO_PAGE_POLICY);
}

/**
 * For responses that are not pages: even if a browser renders one, nothing in it runs. Browsers then also
 * request `/favicon.ico`, so images must be allowed, or a violation is logged.
 */
export const NO_PAGE_POLICY =
  "default-src 'none'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'";

/**
 * The Content-Security-Policy of a page whose inline scripts match `scriptSources`: a nonce for a page
 * rendered for one visitor, hashes for a cached one. Forms may lead to the payment pages, because Chromium
 * also checks where a form's response redirects to. A page of the author's desk shows previews in frames, and these alone are
 * `framed`, without scripts.
 */
export function pagePolicy(
  scriptSources: readonly string[],
  own: "none" | "framing" | "framed" = "none",
): string {
  const { scripts, frames, connections } = stripeJsOrigins();
  const directives: Record<string, string[]> = {
    "default-src": ["'none'"],
    "script-src": own === "framed" ? ["'none'"] : ["'self'", ...scriptSources, ...scripts],
    "style-src": ["'self'"],
    // Radix positions its components with style attributes
    "style-src-attr": ["'unsafe-inline'"],
    // a preview shows a site that is not the current one
    "img-src": [
      "'self'",
      ...(own === "framed" || hasStockPhoto(currentSite()) ? [PHOTO_ORIGIN] : []),
    ],
    "media-src": ["'self'"],
    "font-src": ["'self'"],
    "connect-src": [
      "'self'",
      ...connections,
      ...(DEVELOPMENT_SERVER ? [DEVELOPMENT_SERVER.replace(/^http/, "ws")] : []),
    ],
    "frame-src": own === "framing" ? ["'self'"] : frames.length > 0 ? frames : ["'none'"],
    "manifest-src": ["'self'"],
    // a log-in on the community's page ends in the community
    "form-action": ["'self'", ...paymentPageOrigins(), ...communityOrigins()],
    "frame-ancestors": [own === "framed" ? "'self'" : "'none'"],
    "base-uri": ["'none'"],
    "object-src": ["'none'"],
    ...(env().PUBLIC_URL.startsWith("https:") ? { "upgrade-insecure-requests": [] } : {}),
  };
  return Object.entries(directives)
    .map(([name, sources]) => [name, ...sources].join(" "))
    .join("; ");
}
