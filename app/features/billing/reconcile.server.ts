import { log } from "~/server/log.server";
import { findBilledProfiles, findCustomersToReconcile } from "~db/queries/profiles";
import { syncCustomer } from "./sync-customer.server";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How often the timer looks, and how long a row it has just synced is left alone. */
const INTERVAL_MS = 5 * MINUTE;
const REST_MS = 4 * MINUTE;

/** Rows synced in one look; what is left comes in the next. */
const BATCH = 100;

/** Stripe lets a Checkout Session be paid for 24 hours; the second day covers delayed payments. */
const CHECKOUT_LIFE_MS = 48 * HOUR;

export type ReconcileResult = { synced: number; failed: number };

/**
 * Syncs the rows that may have missed a webhook: near or past their period's end, past due, or with a
 * checkout left open. One that fails is logged and tried again at the next look. Throws only when the
 * database does not answer.
 */
export async function reconcile(now = new Date(), rest = REST_MS): Promise<ReconcileResult> {
  const at = (offset: number) => new Date(now.getTime() + offset);
  const customers = await findCustomersToReconcile(
    {
      notSyncedSince: at(-rest),
      periodEndBefore: at(HOUR),
      checkoutOpenedAfter: at(-CHECKOUT_LIFE_MS),
    },
    BATCH,
  );
  return syncEach(customers);
}

/** Syncs every profile that has a Stripe customer, as after an outage. */
export async function reconcileAll(): Promise<ReconcileResult> {
  const total: ReconcileResult = { synced: 0, failed: 0 };
  let afterId: string | null = null;
  for (;;) {
    const page = await findBilledProfiles(afterId, BATCH);
    const last = page.at(-1);
    if (!last) return total;
    const { synced, failed } = await syncEach(
      page.flatMap(({ stripeCustomerId }) => stripeCustomerId ?? []),
    );
    total.synced += synced;
    total.failed += failed;
    afterId = last.id;
  }
}

async function syncEach(customers: string[]): Promise<ReconcileResult> {
  const result: ReconcileResult = { synced: 0, failed: 0 };
  for (const stripeCustomerId of customers) {
    try {
      await syncCustomer(stripeCustomerId);
      result.synced++;
    } catch (error) {
      result.failed++;
      log().error({ stripeCustomerId, err: error }, "reconciliation of a customer failed");
    }
  }
  return result;
}

/** Reconciles every `interval` milliseconds until the returned function is called, which waits for a look under way. */
export function startReconciliation(interval = INTERVAL_MS): () => Promise<void> {
  let look: Promise<unknown> = Promise.resolve();
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look = reconcile(new Date(), Math.min(REST_MS, interval))
      .catch((error: unknown) => log().error({ err: error }, "reconciliation failed"))
      .finally(() => {
        isLooking = false;
      });
  }, interval);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await look;
  };
}
