import Stripe from "stripe";
import { env, type StripeEnvironment } from "~/env.server";
import { exposeStripeQueue } from "~/server/metrics.server";
import { BudgetedHttpClient } from "./budgeted-http-client.server";
import { CallBudget } from "./call-budget.server";

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

/**
 * Calls a second. Stripe takes 100 of an account in live mode and 25 in a sandbox, and 25 for each endpoint
 * (https://docs.stripe.com/rate-limits, 2026); a fifth is left to the author's other programs and the commands.
 */
const CALLS_PER_SECOND = { live: 80, test: 20, endpoint: 20 };

/** Calls under way at one time: enough for the rate while each takes half a second, and not a crowd when Stripe hangs. */
const CALLS_AT_ONCE = 50;

/** Who waits for an answer has given up by then; the timer and the commands have not. */
const LONGEST_WAIT_MS = {
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
  const { perSecond, perEndpoint } = callsPerSecond(secretKey);
  const key = `${secretKey} ${apiBase} ${perSecond}`;
  if (client?.key !== key) {
    const budget = new CallBudget({
      perSecond,
      perEndpoint,
      atOnce: CALLS_AT_ONCE,
      longestWaitMs: LONGEST_WAIT_MS,
    });
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

/** Whoever has had Stripe raise the limits sets a number of their own; the local sandbox has none by endpoint. */
function callsPerSecond(secretKey: string): { perSecond: number; perEndpoint: number } {
  const { SANDBOX, STRIPE_CALLS_PER_SECOND } = env();
  const isTest = /_test_/.test(secretKey) && !SANDBOX;
  const perSecond = STRIPE_CALLS_PER_SECOND ?? CALLS_PER_SECOND[isTest ? "test" : "live"];
  const perEndpoint = SANDBOX
    ? perSecond
    : Math.min(perSecond, Math.max(CALLS_PER_SECOND.endpoint, Math.floor(perSecond / 4)));
  return { perSecond, perEndpoint };
}

function hostOf(url: URL) {
  const protocol = url.protocol === "http:" ? ("http" as const) : ("https" as const);
  return { protocol, host: url.hostname, port: url.port || (protocol === "http" ? 80 : 443) };
}
