import Stripe from "stripe";
import { env, type StripeEnvironment } from "~/env.server";
import { exposeStripeQueue } from "~/observability/metrics.server";
import { BudgetedHttpClient } from "./budgeted-http-client.server";
import { CallBudget } from "./call-budget.server";
import { callLimits } from "./call-limits.server";

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

/** Who waits for an answer has given up by then; the timer and the commands have not. */
const MAX_WAIT_MS = {
  webhook: TIMEOUT_MS,
  checkout: TIMEOUT_MS,
  membership: TIMEOUT_MS,
  background: 60_000,
};

let client: { key: string; stripe: Stripe; budget: CallBudget } | undefined;
exposeStripeQueue(() => client?.budget.waiting ?? 0);

/** Stripe's settings; throws PaymentsNotConfigured when there are none. */
export function requireStripe(): StripeEnvironment {
  const settings = env().STRIPE;
  if (!settings) throw new PaymentsNotConfigured();
  return settings;
}

/** The one Stripe client of this process, on a budget of calls. Throws PaymentsNotConfigured without a key. */
export function stripeClient(): Stripe {
  const api = env().STRIPE_API;
  if (!api) throw new PaymentsNotConfigured();
  const { secretKey, apiBase } = api;
  const limits = callLimits(secretKey);
  const key = `${secretKey} ${apiBase} ${limits.perSecond}`;
  if (client?.key !== key) {
    const budget = new CallBudget({ ...limits, longestWaitMs: MAX_WAIT_MS });
    client = {
      key,
      budget,
      stripe: new Stripe(secretKey, {
        httpClient: new BudgetedHttpClient(budget),
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

/** Whether an error is Stripe refusing what was asked, so that asking again is no use. */
export function isInvalidRequest(error: unknown): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof Stripe.errors.StripeInvalidRequestError;
}

/**
 * Whether an error is Stripe saying that an object does not exist (any more): with `param`, the one that
 * this parameter of the call names.
 */
export function isMissingAtStripe(error: unknown, param?: string): boolean {
  return (
    isInvalidRequest(error) &&
    error.code === "resource_missing" &&
    (param === undefined || error.param === param)
  );
}

function hostOf(url: URL) {
  const protocol = url.protocol === "http:" ? ("http" as const) : ("https" as const);
  return { protocol, host: url.hostname, port: url.port || (protocol === "http" ? 80 : 443) };
}
