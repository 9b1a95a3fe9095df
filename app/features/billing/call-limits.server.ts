import { env } from "~/env.server";
import { isLiveKey } from "~/environment/stripe-key";

/**
 * Calls a second. Stripe allows an account 100 in live mode, 25 in a sandbox, and 25 per endpoint
 * (https://docs.stripe.com/rate-limits, 2026); a fifth is left for the author's other programs and the commands.
 */
const CALLS_PER_SECOND = { live: 80, test: 20, endpoint: 20 };

/** Calls in flight: enough for the full rate at half a second each, without piling up when Stripe hangs. */
const CONCURRENT_CALLS = 50;

/** The sandbox has no rate limits: this is what a small machine can handle, per endpoint as well as in total. */
const SANDBOX = { perSecond: 400, concurrency: 200 };

/** Maximum calls a second, in total and per endpoint, and maximum calls in flight. */
export type CallLimits = { perSecond: number; perEndpoint: number; concurrency: number };

/** The limits for a secret key; `STRIPE_CALLS_PER_SECOND` overrides them, as when Stripe has raised the account's. */
export function callLimits(secretKey: string): CallLimits {
  const { SANDBOX: isSandbox, STRIPE_CALLS_PER_SECOND: own } = env();
  if (isSandbox) {
    const perSecond = own ?? SANDBOX.perSecond;
    return { perSecond, perEndpoint: perSecond, concurrency: SANDBOX.concurrency };
  }
  const { live, test, endpoint } = CALLS_PER_SECOND;
  const perSecond = own ?? (isLiveKey(secretKey) ? live : test);
  const perEndpoint = Math.min(perSecond, Math.max(endpoint, Math.floor(perSecond / 4)));
  return { perSecond, perEndpoint, concurrency: CONCURRENT_CALLS };
}
