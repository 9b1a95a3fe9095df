import Stripe from "stripe";
import { env, type StripeEnvironment } from "~/env.server";
import { exposeGauge } from "~/observability/metrics.server";
import { BudgetedHttpClient } from "./budgeted-http-client.server";
import { CallBudget } from "./call-budget.server";
import { callLimits } from "./call-limits.server";

/** Payments were requested, but this site has no Stripe keys. */
export class PaymentsNotConfigured extends Error {
  override name = "PaymentsNotConfigured";
  constructor() {
    super("Payments are not configured on this site yet.");
  }
}

/** stripe-node's default of 80 s × 3 attempts is far too long for a visitor to wait. */
const TIMEOUT_MS = 10_000;
const RETRIES = 1;

/** Longest time a call is queued: after it a waiting caller has timed out, except the timer and the commands. */
const MAX_WAIT_MS = {
  webhook: TIMEOUT_MS,
  checkout: TIMEOUT_MS,
  membership: TIMEOUT_MS,
  background: 60_000,
};

let client: { key: string; stripe: Stripe; budget: CallBudget } | undefined;
exposeGauge(
  "stripe_call_queue_length",
  "Calls to Stripe waiting in the queue",
  () => client?.budget.waiting ?? 0,
);

/** Stripe's settings; throws PaymentsNotConfigured when there are none. */
export function requireStripe(): StripeEnvironment {
  const settings = env().STRIPE;
  if (!settings) throw new PaymentsNotConfigured();
  return settings;
}

/** The shared Stripe client of this process, with its call budget. Throws PaymentsNotConfigured without a key. */
export function stripeClient(): Stripe {
  const api = env().STRIPE_API;
  if (!api) throw new PaymentsNotConfigured();
  const { secretKey, apiBase } = api;
  const limits = callLimits(secretKey);
  const key = `${secretKey} ${apiBase} ${limits.perSecond}`;
  if (client?.key !== key) {
    const budget = new CallBudget({ ...limits, maxWaitMs: MAX_WAIT_MS });
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

/** Whether Stripe rejected the request as invalid, so that a retry is pointless. */
export function isInvalidRequest(error: unknown): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof Stripe.errors.StripeInvalidRequestError;
}

/**
 * Whether Stripe reported that an object does not exist (any more); with `param`, the object named by that
 * parameter of the call.
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
