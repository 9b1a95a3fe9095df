import Stripe from "stripe";
import { env, type StripeEnvironment } from "~/env.server";

/** Checkout was asked for, and this site has no Stripe keys. */
export class PaymentsNotConfigured extends Error {
  override name = "PaymentsNotConfigured";
  constructor() {
    super("Payments are not configured on this site yet.");
  }
}

/** Stripe-node's own 80 s × 3 attempts would outlast any visitor's patience. */
const TIMEOUT_MS = 10_000;
const RETRIES = 1;

let client: { key: string; stripe: Stripe } | undefined;

/** Stripe's settings; throws PaymentsNotConfigured when there are none. */
export function requireStripe(): StripeEnvironment {
  const settings = env().STRIPE;
  if (!settings) throw new PaymentsNotConfigured();
  return settings;
}

/** The one Stripe client of this process. Throws PaymentsNotConfigured without a key. */
export function stripeClient(): Stripe {
  const api = env().STRIPE_API;
  if (!api) throw new PaymentsNotConfigured();
  const { secretKey, apiBase } = api;
  const key = `${secretKey} ${apiBase}`;
  if (client?.key !== key) {
    client = {
      key,
      stripe: new Stripe(secretKey, {
        timeout: TIMEOUT_MS,
        maxNetworkRetries: RETRIES,
        telemetry: false,
        appInfo: { name: "the-golden-path" },
        ...(apiBase ? hostOf(new URL(apiBase)) : {}),
      }),
    };
  }
  return client.stripe;
}

/** Whether an error is Stripe saying that an object does not exist (any more). */
export function isMissingAtStripe(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError && error.code === "resource_missing"
  );
}

function hostOf(url: URL) {
  const protocol = url.protocol === "http:" ? ("http" as const) : ("https" as const);
  return { protocol, host: url.hostname, port: url.port || (protocol === "http" ? 80 : 443) };
}
