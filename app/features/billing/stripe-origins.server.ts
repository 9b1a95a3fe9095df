import { env } from "~/env.server";

/** Origins Stripe's checkout and portal have by themselves. */
const STRIPE_PAGES = ["https://checkout.stripe.com", "https://billing.stripe.com"];

/**
 * The origins a page's forms may lead to: those of Stripe's pages, the domains the author gave them
 * (https://docs.stripe.com/payments/checkout/custom-domains), or the sandbox's.
 */
export function paymentPageOrigins(): string[] {
  const { STRIPE, SANDBOX, STRIPE_CUSTOM_DOMAIN } = env();
  if (SANDBOX) return [SANDBOX.origin];
  if (!STRIPE) return [];
  return [
    ...STRIPE_PAGES,
    // another origin that speaks Stripe's API hands out its own pages
    ...(STRIPE.apiBase ? [STRIPE.apiBase] : []),
    ...(STRIPE_CUSTOM_DOMAIN ?? []).map((domain) => `https://${domain.toLowerCase()}`),
  ];
}

/** The origins of which a page may run scripts, show frames and ask by script. */
export type ScriptOrigins = { scripts: string[]; frames: string[]; connections: string[] };

/**
 * What Stripe.js needs of a page's policy (https://docs.stripe.com/security/guide#content-security-policy);
 * nothing where there is no publishable key, since it is not loaded then.
 */
export function stripeJsOrigins(): ScriptOrigins {
  if (!env().STRIPE?.publishableKey) return { scripts: [], frames: [], connections: [] };
  return {
    scripts: ["https://js.stripe.com"],
    frames: ["https://js.stripe.com", "https://hooks.stripe.com"],
    connections: ["https://api.stripe.com"],
  };
}
