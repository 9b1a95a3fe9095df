import { env } from "~/env.server";
import { isLiveKey } from "~/environment/stripe-key";

/**
 * Calls a second. Stripe takes 100 of an account in live mode and 25 in a sandbox, and 25 for each endpoint
 * (https://docs.stripe.com/rate-limits, 2026); a fifth is left to the author's other programs and the commands.
 */
const CALLS_PER_SECOND = { live: 80, test: 20, endpoint: 20 };

/** Calls under way at one time: enough for the rate while each takes half a second, and not a crowd when Stripe hangs. */
const CONCURRENT_CALLS = 50;

/** The local Stripe limits nobody: this is what a small machine makes of it, at one endpoint as at all. */
const SANDBOX = { perSecond: 400, concurrency: 200 };

/** Calls that may begin within a second, in all and at one endpoint, and be under way at one time. */
export type CallLimits = { perSecond: number; perEndpoint: number; concurrency: number };

/** The limits with a secret key and the present settings; whoever has had Stripe raise its own sets a number. */
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
