import { log } from "~/observability/log.server";
import { countSync } from "~/observability/metrics.server";
import { type Executor, getDatabase } from "~db/client";
import {
  findProfileByCustomer,
  lockProfileByCustomer,
  nextSyncNumber,
  updateProfile,
} from "~db/queries/profiles";
import { insertStripePrice } from "~db/queries/stripe-prices";
import type { Profile } from "~db/schema";
import { notifyAuthor } from "./author-notice.server";
import { callPurpose } from "./call-purpose.server";
import { followNewCard } from "./card-actions.server";
import { coalesce } from "./coalesce.server";
import { askBilling, type CustomerBilling } from "./customer-billing.server";
import { applyDisputeActions, type DisputeAction } from "./dispute-actions.server";
import { nextSyncAt } from "./next-sync";
import { type BillingState, liveMemberships } from "./subscription-state";

/** The state a sync wrote, or why there was nothing to write. */
export type SyncOutcome =
  | { kind: "synced"; userId: string; state: BillingState }
  | { kind: "unknown-customer" };

/** One look at what Stripe says of a customer, with its number among all looks. */
export type BillingSnapshot = CustomerBilling & {
  stripeCustomerId: string;
  number: number;
  at: Date;
  /** Whether something that had to be done at Stripe could not be, and has to be tried again soon. */
  isUnfinished: boolean;
};

/**
 * Makes the profile row of a Stripe customer equal to what Stripe says: the only writer of billing state.
 * Neither a connection nor a lock is held while Stripe is asked. Throws UnknownCustomer, and what Stripe or
 * PostgreSQL throw; nothing is written then.
 */
export async function syncCustomer(stripeCustomerId: string): Promise<SyncOutcome> {
  try {
    const snapshot = await takeSnapshot(stripeCustomerId);
    if (!snapshot) return unknownCustomer(stripeCustomerId);
    const written = await getDatabase().db.transaction((tx) => writeSnapshot(snapshot, tx));
    return reportSync(snapshot, written);
  } catch (error) {
    countSync("failed");
    throw error;
  }
}

/**
 * Asks Stripe about a customer whom a profile has; null if none has. The snapshot is numbered before Stripe is
 * asked, so a snapshot of a higher number knows all that had happened when one of a lower number was called
 * for. Of one customer and purpose one is under way and one waits; whoever calls meanwhile shares the
 * one that waits, since the one under way may have asked before the payment.
 */
export function takeSnapshot(stripeCustomerId: string): Promise<BillingSnapshot | null> {
  return coalesce(`snapshot ${callPurpose()} ${stripeCustomerId}`, async () => {
    const profile = await findProfileByCustomer(stripeCustomerId);
    if (!profile) return null;
    const first = await readBilling(stripeCustomerId);
    // told at once: a later snapshot finds it done, and whatever fails from here on would keep it from the author
    const { hasChanged, isUnfinished } = await applyActions(first, (action) =>
      notifyAuthor({ userId: profile.id, stripeCustomerId, ...action }),
    );
    if (!hasChanged) return { ...first, isUnfinished };
    try {
      // what was done at Stripe counts already, so that nobody who has just paid is shown a shut door
      return { ...(await readBilling(stripeCustomerId)), isUnfinished };
    } catch (error) {
      log().error({ stripeCustomerId, err: error }, "what was done at Stripe is looked at later");
      return { ...first, isUnfinished: true };
    }
  });
}

async function readBilling(stripeCustomerId: string) {
  const at = new Date();
  const number = await nextSyncNumber();
  return { ...(await askBilling(stripeCustomerId)), stripeCustomerId, number, at };
}

/** Does at Stripe what follows from what it says: about disputed payments, of which it tells, and about new cards. */
async function applyActions(billing: CustomerBilling, tell: (action: DisputeAction) => void) {
  let hasChanged = false;
  try {
    await applyDisputeActions(billing.memberships, (action) => {
      hasChanged = true;
      tell(action);
    });
    const hasNewCard = await followNewCard(billing);
    return { hasChanged: hasNewCard || hasChanged, isUnfinished: false };
  } catch (error) {
    // the row is written all the same, and the timer comes back to the rest
    log().error({ err: error }, "a membership could not be changed at Stripe; it is tried again");
    return { hasChanged: true, isUnfinished: true };
  }
}

/** What writing a snapshot came to: the row before and after, or null if no profile has the customer any more. */
export type WrittenSnapshot = { before: Profile; state: BillingState; isStale: boolean } | null;

/**
 * Writes a snapshot into the customer's row, in the caller's transaction, unless one of a higher number was
 * written meanwhile. The caller tells of it with `reportSync` once the transaction is through.
 */
export async function writeSnapshot(
  snapshot: BillingSnapshot,
  tx: Executor,
): Promise<WrittenSnapshot> {
  const before = await lockProfileByCustomer(snapshot.stripeCustomerId, tx);
  if (!before) return null;
  if (before.syncNumber > snapshot.number) return { before, state: before, isStale: true };

  const { state, memberships, price, at } = snapshot;
  if (price) await insertStripePrice(price, tx);
  const isMember = liveMemberships(memberships).length > 0;
  const checkoutOpenedAt = isMember ? null : before.checkoutOpenedAt;
  await updateProfile(
    before.id,
    {
      ...state,
      checkoutOpenedAt,
      syncNumber: snapshot.number,
      syncedAt: at,
      syncDueAt: nextSyncAt(snapshot, checkoutOpenedAt),
    },
    tx,
  );
  return { before, state, isStale: false };
}

/** Logs a written snapshot, and tells the author of a refund that it saw first. */
export function reportSync(snapshot: BillingSnapshot, written: WrittenSnapshot): SyncOutcome {
  const { stripeCustomerId } = snapshot;
  if (!written) return unknownCustomer(stripeCustomerId);
  const { before, state, isStale } = written;
  const userId = before.id;
  if (isStale) {
    countSync("stale");
    log().info({ userId, stripeCustomerId }, "a later look at Stripe was written already");
    return { kind: "synced", userId, state };
  }
  const subscriptionId = state.stripeSubscriptionId;
  if (state.accessWithdrawn === "refund" && before.accessWithdrawn !== "refund" && subscriptionId) {
    notifyAuthor({ kind: "refunded", userId, stripeCustomerId, subscriptionId });
  }
  const live = liveMemberships(snapshot.memberships);
  if (live.length > 1) {
    log().error(
      { userId, stripeCustomerId, subscriptions: live.map(({ subscription }) => subscription.id) },
      "this customer has more than one live subscription: refund and cancel the surplus one at Stripe",
    );
  }
  countSync("synced");
  log().info(
    {
      userId,
      stripeCustomerId,
      subscription: subscriptionId,
      status: state.stripeSubscriptionStatus,
      accessUntil: state.stripeCurrentPeriodEnd,
      withdrawn: state.accessWithdrawn ?? undefined,
    },
    "billing state synced",
  );
  return { kind: "synced", userId, state };
}

function unknownCustomer(stripeCustomerId: string): SyncOutcome {
  countSync("unknown");
  log().info({ stripeCustomerId }, "no profile has this Stripe customer; nothing to sync");
  return { kind: "unknown-customer" };
}
