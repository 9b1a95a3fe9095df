import { log } from "~/observability/log.server";
import { startTimedWork } from "~/observability/timed-work.server";
import { db } from "~db/client";
import { OperatorError } from "~db/operator-error";
import {
  type BilledProfile,
  findCustomersDue,
  lockProfile,
  updateProfile,
} from "~db/queries/profiles";
import { forEachBilledProfile, type Progress } from "./billed-profiles.server";
import { UnknownCustomer } from "./customer-billing.server";
import { followDebitsAfterDeletion } from "./debits-after-deletion.server";
import { inParallel } from "./in-parallel";
import { followOutage, outageSignal } from "./stripe-outage.server";
import { NO_MEMBERSHIP, NO_PAYMENT } from "./subscription-state";
import { syncCustomer } from "./sync-customer.server";
import { processUndeliveredEvents } from "./undelivered-events.server";
import { writeBillingState } from "./write-billing-state.server";

const MINUTE = 60_000;

/** Delay of the first run, in milliseconds. It catches up after downtime. */
const FIRST_RUN_MS = 5_000;

/** Interval of later runs, in milliseconds. */
const INTERVAL_MS = 5 * MINUTE;

/** Backoff for a customer unknown to Stripe, in milliseconds; only the operator can fix that. */
const UNKNOWN_BACKOFF_MS = 24 * 60 * MINUTE;

/** Backoff after a failed sync, in milliseconds, so customers who always fail do not starve the others. */
const FAILED_BACKOFF_MS = 15 * MINUTE;

/** Rows read per query. */
const PAGE_SIZE = 500;

/** Consecutive failures after which Stripe or the connection to it is considered down. */
const MAX_FAILURES_IN_A_ROW = 50;

export type ReconcileResult = {
  synced: number;
  failed: number;
  /** Users whose customer Stripe does not know in this account and mode. */
  unknown: string[];
  /** The last error by which no customer can be read, if none could be. */
  outage?: unknown;
};

/**
 * Syncs all rows that are due (`sync_due_at`), in case a webhook was missed. Logs failed syncs and retries them after
 * a backoff; ends after 50 failures in a row. Starts no further sync once `stopping` is aborted. Throws PostgreSQL's
 * errors.
 */
export async function reconcile(
  now = new Date(),
  { stopping, pageSize = PAGE_SIZE }: { stopping?: AbortSignal; pageSize?: number } = {},
): Promise<ReconcileResult> {
  const tally = new Tally({ unknownCounts: true, stopping });
  let afterId: string | null = null;
  while (!stopping?.aborted) {
    const page = await findCustomersDue(now, afterId, pageSize);
    const last = page.at(-1);
    if (!last) return tally.result;
    await inParallel(page, (profile) => tally.sync(profile));
    if (tally.hasGivenUp) {
      const { synced, failed, unknown } = tally.result;
      log().error(
        { synced, failed, unknown: unknown.length },
        "too many syncs failed in a row; the rest of the members are synced later",
      );
      return tally.result;
    }
    afterId = last.id;
  }
  return tally.result;
}

/**
 * Catches up on undelivered events, and syncs all rows that are due within the hour: an operator who asks has a reason. Throws
 * Stripe's and PostgreSQL's errors.
 */
export async function reconcileNow(): Promise<ReconcileResult> {
  await processUndeliveredEvents();
  return reconcile(new Date(Date.now() + 60 * MINUTE));
}

/**
 * Syncs every profile with a Stripe customer, as after an outage, optionally starting after a user id. With
 * `unlinkUnknown`, clears all billing data of rows whose customer Stripe does not know in this account and mode. Only
 * the operator may request that.
 */
export async function reconcileAll({
  unlinkUnknown = false,
  ...walk
}: {
  afterId?: string | null;
  onProgress?: (progress: Progress) => void;
  unlinkUnknown?: boolean;
} = {}): Promise<ReconcileResult> {
  const tally = new Tally({ unknownCounts: false });
  await forEachBilledProfile(async (profile) => {
    await tally.sync(profile);
    if (!tally.hasGivenUp) return;
    throw new OperatorError(
      "Too many syncs failed in a row: see the log for why. Resume later with --after, as the last line of progress says.",
    );
  }, walk);
  if (unlinkUnknown) await inParallel(tally.result.unknown, (userId) => unlinkCustomer(userId));
  return tally.result;
}

/** Runs and counts syncs, and logs failed ones. */
class Tally {
  readonly result: ReconcileResult = { synced: 0, failed: 0, unknown: [] };
  #failuresInARow = 0;

  constructor(
    private readonly options: {
      /** Whether unknown customers count as failures, since the key may be the wrong one. */
      unknownCounts: boolean;
      stopping?: AbortSignal;
    },
  ) {}

  get hasGivenUp(): boolean {
    return this.#failuresInARow >= MAX_FAILURES_IN_A_ROW;
  }

  async sync({ id: userId, stripeCustomerId }: BilledProfile): Promise<void> {
    if (this.hasGivenUp || this.options.stopping?.aborted) return;
    try {
      await syncCustomer(stripeCustomerId);
      this.result.synced++;
      this.result.outage = undefined;
      this.#failuresInARow = 0;
    } catch (error) {
      const isUnknown = error instanceof UnknownCustomer;
      if (isUnknown) {
        this.result.unknown.push(userId);
        log().error({ userId, stripeCustomerId }, error.message);
      } else {
        this.result.failed++;
        if (this.result.synced === 0 && outageSignal(error)) this.result.outage = error;
        log().error({ userId, stripeCustomerId, err: error }, "a customer could not be synced");
      }
      const rest = isUnknown ? UNKNOWN_BACKOFF_MS : FAILED_BACKOFF_MS;
      await updateProfile(userId, { syncDueAt: new Date(Date.now() + rest) });
      if (isUnknown && !this.options.unknownCounts) return;
      this.#failuresInARow++;
    }
  }
}

/**
 * Reconciles shortly after startup and then every `interval` milliseconds, in one instance at a time. The returned
 * function stops this and lets a run finish the syncs it has started.
 */
export function startReconciliation(interval = INTERVAL_MS): () => Promise<void> {
  return startTimedWork("reconciliation", {
    work: (stopping) => runReconciliation(new Date(), stopping),
    firstMs: Math.min(FIRST_RUN_MS, interval),
    everyMs: interval,
    failure: "reconciliation failed",
  });
}

/** One run of the timer. Throws PostgreSQL's errors. */
export async function runReconciliation(now: Date, stopping?: AbortSignal): Promise<void> {
  const [eventsError, result] = await Promise.all([
    processUndeliveredEvents(now, undefined, stopping).then(
      () => null,
      (error: unknown) => {
        log().error({ err: error }, "undelivered events could not be processed");
        return error;
      },
    ),
    reconcile(now, { stopping }).catch((error: unknown) => {
      log().error({ err: error }, "reconciliation failed");
      return null;
    }),
    followDebitsAfterDeletion(now),
  ]);
  // a run that was stopped has asked nothing, or not all
  if (stopping?.aborted) return;
  const wasAnswered = (result?.synced ?? 0) > 0;
  await followOutage(result?.outage ?? (wasAnswered ? null : eventsError), now);
}

/** Clears all billing data in a user's row, including the customer, but for a complimentary membership. */
export function unlinkCustomer(userId: string): Promise<void> {
  return db().transaction(async (tx) => {
    await lockProfile(userId, tx);
    const unlinked = {
      ...NO_PAYMENT,
      stripeCustomerId: null,
      confirmPaymentUrl: null,
      stripeCheckoutSessionId: null,
      checkoutOpenedAt: null,
      syncDueAt: null,
    };
    await writeBillingState(userId, NO_MEMBERSHIP, unlinked, tx);
  });
}
