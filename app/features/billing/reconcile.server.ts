import { log } from "~/observability/log.server";
import { OperatorError } from "~db/operator-error";
import { type BilledProfile, findCustomersDue, updateProfile } from "~db/queries/profiles";
import { forEachBilledProfile, type Progress } from "./billed-profiles.server";
import { UnknownCustomer } from "./customer-billing.server";
import { inParallel } from "./in-parallel";
import { syncCustomer } from "./sync-customer.server";
import { processUndeliveredEvents } from "./undelivered-events.server";
import { unlinkCustomer } from "./unlink-customer.server";

const MINUTE = 60_000;

/** When the timer runs first, so that what happened while the site was down is made good at once. */
const FIRST_RUN_MS = 5_000;

/** How often it runs from then on. */
const INTERVAL_MS = 5 * MINUTE;

/** How long a customer that Stripe does not know is left alone: only the operator can change that. */
const UNKNOWN_REST_MS = 24 * 60 * MINUTE;

/** How long a customer whose sync failed is left alone, so that those who always fail end no round before the others. */
const FAILED_REST_MS = 15 * MINUTE;

/** Rows read at a time. */
const PAGE = 500;

/** Failures without a success between them after which Stripe, or the way to it, is taken to be out of order. */
const MAX_FAILURES = 50;

export type ReconcileResult = {
  synced: number;
  failed: number;
  /** Users whose row names a customer that Stripe does not know in this account and mode. */
  unknown: string[];
};

/**
 * Syncs all rows that are due, because they may have missed a webhook (`sync_due_at`). One that
 * fails is logged and tried again after a rest; what is left when `stopping` says so is left to the next
 * process. Throws only when the database does not answer.
 */
export async function reconcile(
  now = new Date(),
  { stopping, pageSize = PAGE }: { stopping?: AbortSignal; pageSize?: number } = {},
): Promise<ReconcileResult> {
  const tally = new Tally({ unknownCounts: true, stopping });
  let afterId: string | null = null;
  while (!stopping?.aborted) {
    const page = await findCustomersDue(now, afterId, pageSize);
    const last = page.at(-1);
    if (!last) return tally.result;
    await inParallel(page, (profile) => tally.sync(profile));
    if (tally.seemsHopeless) {
      const { synced, failed, unknown } = tally.result;
      log().error(
        { synced, failed, unknown: unknown.length },
        "one sync after the other fails; the rest of the members are looked at later",
      );
      return tally.result;
    }
    afterId = last.id;
  }
  return tally.result;
}

/**
 * Syncs every profile that has a Stripe customer, as after an outage, from a user's id on if one is given.
 * With `unlinkUnknown`, rows that name a customer Stripe does not know in this account and mode name none
 * afterwards, and say that nothing was bought: for the operator to ask for, never by itself.
 */
export async function reconcileAll({
  unlinkUnknown = false,
  ...walk
}: {
  afterId?: string | null;
  tell?: (progress: Progress) => void;
  unlinkUnknown?: boolean;
} = {}): Promise<ReconcileResult> {
  const tally = new Tally({ unknownCounts: false });
  await forEachBilledProfile(async (profile) => {
    await tally.sync(profile);
    if (!tally.seemsHopeless) return;
    throw new OperatorError(
      "One sync after the other fails: see the log for why. Go on later with --after, as the last line of progress says.",
    );
  }, walk);
  if (unlinkUnknown) await inParallel(tally.result.unknown, (userId) => unlinkCustomer(userId));
  return tally.result;
}

/** Counts syncs, and logs those that fail. */
class Tally {
  readonly result: ReconcileResult = { synced: 0, failed: 0, unknown: [] };
  #failuresInARow = 0;

  constructor(
    private readonly options: {
      /** Whether customers that Stripe does not know speak for keys that are not the right ones. */
      unknownCounts: boolean;
      stopping?: AbortSignal;
    },
  ) {}

  get seemsHopeless(): boolean {
    return this.#failuresInARow >= MAX_FAILURES;
  }

  async sync({ id: userId, stripeCustomerId }: BilledProfile): Promise<void> {
    if (this.seemsHopeless || this.options.stopping?.aborted) return;
    try {
      await syncCustomer(stripeCustomerId);
      this.result.synced++;
      this.#failuresInARow = 0;
    } catch (error) {
      const isUnknown = error instanceof UnknownCustomer;
      if (isUnknown) {
        this.result.unknown.push(userId);
        log().error({ userId, stripeCustomerId }, error.message);
      } else {
        this.result.failed++;
        log().error({ userId, stripeCustomerId, err: error }, "a customer could not be synced");
      }
      const rest = isUnknown ? UNKNOWN_REST_MS : FAILED_REST_MS;
      await updateProfile(userId, { syncDueAt: new Date(Date.now() + rest) });
      if (isUnknown && !this.options.unknownCounts) return;
      this.#failuresInARow++;
    }
  }
}

/**
 * Reconciles shortly after the start and then every `interval` milliseconds until the returned function is
 * called, which lets a run under way finish the syncs it has begun.
 */
export function startReconciliation(interval = INTERVAL_MS): () => Promise<void> {
  const stopping = new AbortController();
  let run: Promise<unknown> = Promise.resolve();
  let isLooking = false;
  const reconcileUnlessRunning = () => {
    if (isLooking) return;
    isLooking = true;
    run = Promise.allSettled([
      processUndeliveredEvents(new Date(), undefined, stopping.signal).catch((error: unknown) =>
        log().error({ err: error }, "undelivered events could not be processed"),
      ),
      reconcile(new Date(), { stopping: stopping.signal }).catch((error: unknown) =>
        log().error({ err: error }, "reconciliation failed"),
      ),
    ]).finally(() => {
      isLooking = false;
    });
  };
  const first = setTimeout(reconcileUnlessRunning, Math.min(FIRST_RUN_MS, interval)).unref();
  const timer = setInterval(reconcileUnlessRunning, interval).unref();
  return async () => {
    clearTimeout(first);
    clearInterval(timer);
    stopping.abort();
    await run;
  };
}
