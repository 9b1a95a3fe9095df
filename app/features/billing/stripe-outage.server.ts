import Stripe from "stripe";
import { log } from "~/observability/log.server";
import { addToSignal, findSignals, resetSignals } from "~db/queries/operator-signals";
import { extendRenewingAccess } from "~db/queries/profiles";

const DAY_MS = 24 * 60 * 60_000;

/** Maximum length of an outage in which access is extended, in milliseconds. */
const MAX_EXTENSION_MS = 14 * DAY_MS;

const REFUSED = "stripe-refused";
const UNANSWERED = "stripe-unanswered";

/** Returns the signal of an error by which no customer can be read; null for any other error. */
export function outageSignal(error: unknown): string | null {
  if (!(error instanceof Stripe.errors.StripeError)) return null;
  const { statusCode: status = 500 } = error;
  if (status === 401 || status === 403) return REFUSED;
  return status === 429 || status >= 500 ? UNANSWERED : null;
}

/**
 * Notes whether Stripe could be asked, for the operator's alert. While it could not, members whose membership renews
 * keep their access, a day at a time and for 14 days at most, since nobody knows whether they have paid. `error` is that
 * of a call, or null if Stripe answered. Throws PostgreSQL's errors.
 */
export async function followOutage(error: unknown, now = new Date()): Promise<void> {
  const signal = outageSignal(error);
  if (signal === null) return resetSignals([REFUSED, UNANSWERED]);
  await addToSignal(signal, 1);
  const signals = await findSignals([REFUSED, UNANSWERED]);
  const since = Math.min(...signals.map(({ firstAt }) => firstAt.getTime()));
  if (now.getTime() - since > MAX_EXTENSION_MS) return;
  const extended = await extendRenewingAccess(new Date(since), now);
  if (extended === 0) return;
  log().warn(
    { extended },
    "Stripe cannot be asked: members whose access would end keep it for a day",
  );
}
