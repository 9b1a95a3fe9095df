import Stripe from "stripe";
import { log } from "~/observability/log.server";
import { addToSignal, findSignal, resetSignals } from "~db/queries/operator-signals";
import { extendRenewingAccess } from "~db/queries/profiles";

const DAY_MS = 24 * 60 * 60_000;

/** Maximum length of an outage in which access is extended, in milliseconds. */
const MAX_EXTENSION_MS = 14 * DAY_MS;

/** The signals of an outage: Stripe refuses the key, or gives no answer. */
const OUTAGE_SIGNALS = ["stripe-refused", "stripe-unanswered"] as const;

/** Returns the signal of an error by which no customer can be read; null for any other error. */
export function outageSignal(error: unknown): (typeof OUTAGE_SIGNALS)[number] | null {
  const { StripeAuthenticationError, StripePermissionError } = Stripe.errors;
  const { StripeConnectionError, StripeAPIError, StripeRateLimitError } = Stripe.errors;
  const isAny = (...kinds: (new (...args: never[]) => Error)[]) =>
    kinds.some((kind) => error instanceof kind);
  if (isAny(StripeAuthenticationError, StripePermissionError)) return "stripe-refused";
  return isAny(StripeConnectionError, StripeAPIError, StripeRateLimitError)
    ? "stripe-unanswered"
    : null;
}

/**
 * Notes whether Stripe could be asked, for the operator's alert. While it could not, members whose membership renews
 * keep their access, a day at a time and for 14 days at most, since nobody knows whether they have paid. `error` is that
 * of a call, or null if Stripe answered. Throws PostgreSQL's errors.
 */
export async function followOutage(error: unknown, now = new Date()): Promise<void> {
  const signal = outageSignal(error);
  if (signal === null) return resetSignals(OUTAGE_SIGNALS);
  await addToSignal(signal, 1);
  const begun = await Promise.all(OUTAGE_SIGNALS.map((name) => findSignal(name)));
  const since = Math.min(...begun.flatMap((found) => (found ? [found.firstAt.getTime()] : [])));
  if (now.getTime() - since > MAX_EXTENSION_MS) return;
  const extended = await extendRenewingAccess(new Date(since), now);
  if (extended === 0) return;
  log().warn(
    { extended },
    "Stripe cannot be asked: members whose access would end keep it for a day",
  );
}
