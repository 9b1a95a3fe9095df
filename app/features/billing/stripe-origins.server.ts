import { env } from "~/env.server";

/** The origin of Stripe's API, unless STRIPE_API_BASE names another. */
export const STRIPE_API_ORIGIN = "https://api.stripe.com";

/** The default origins of Stripe's checkout and portal. */
const STRIPE_PAGES = ["https://checkout.stripe.com", "https://billing.stripe.com"];

/**
 * Returns the origins a page's forms may redirect to: those of Stripe's pages, the author's custom domains
 * (https://docs.stripe.com/payments/checkout/custom-domains), or the local Stripe's.
 */
export function paymentPageOrigins(): string[] {
  const { STRIPE, SANDBOX, STRIPE_CUSTOM_DOMAIN } = env();
  if (SANDBOX) return [SANDBOX.origin];
  if (!STRIPE) return [];
  return [
    ...STRIPE_PAGES,
    // Another API origin serves its own pages.
    ...(STRIPE.apiBase ? [STRIPE.apiBase] : []),
    ...(STRIPE_CUSTOM_DOMAIN ?? []).map((domain) => `https://${domain.toLowerCase()}`),
  ];
}

/** The origins of a page's scripts, frames and script connections. */
export type ScriptOrigins = { scripts: string[]; frames: string[]; connections: string[] };

/**
 * Returns the origins Stripe.js needs in a content security policy
 * (https://docs.stripe.com/security/guide#content-security-policy). Empty without a publishable key, since Stripe.js
 * is not loaded then.
 */
export function stripeJsOrigins(): ScriptOrigins {
  if (!env().STRIPE?.publishableKey) return { scripts: [], frames: [], connections: [] };
  return {
    scripts: ["https://js.stripe.com"],
    frames: ["https://js.stripe.com", "https://hooks.stripe.com"],
    connections: [STRIPE_API_ORIGIN],
  };
}
