import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { log } from "~/observability/log.server";
import { billingSyncs } from "~/observability/metrics.server";
import { recordPaymentWithoutWebhook } from "~/observability/operator-signals.server";
import { db, type Transaction } from "~db/client";
import { isDeletionPending } from "~db/queries/account-deletions";
import { findGrantedUntil } from "~db/queries/membership-grants";
import { recordMemberships } from "~db/queries/memberships";
import { findProfileByCustomer, lockProfileByCustomer, nextSyncNumber } from "~db/queries/profiles";
import { recordRenewalFailures } from "~db/queries/renewal-failures";
import { insertStripePrice } from "~db/queries/stripe-prices";
import type { Profile } from "~db/schema";
import { notifyAuthor } from "./author-notice.server";
import { callPurpose } from "./call-purpose.server";
import { type NewCard, newCardOf, switchToNewCard } from "./card-actions.server";
import { coalesce } from "./coalesce.server";
import {
  type CustomerBilling,
  type ExaminedMembership,
  fetchBilling,
} from "./customer-billing.server";
import { updateCustomerEmail } from "./customer-email.server";
import { applyDisputeActions, type DisputeAction } from "./dispute-actions.server";
import { recordDispute } from "./dispute-alerts.server";
import { paidMemberships } from "./membership-history";
import { enqueueMembershipMails } from "./membership-mails.server";
import { showsNewPayment } from "./new-payment";
import { nextSyncAt } from "./next-sync";
import { renewalInvoices } from "./renewal-invoices";
import { recordSecondMembership } from "./second-membership-alerts.server";
import { isMissingAtStripe, stripeClient } from "./stripe-client.server";
import { isMarked, siteMark } from "./stripe-site.server";
import { type BillingState, countedMembership, liveMemberships } from "./subscription-state";
import { withoutGrant, writeBillingState } from "./write-billing-state.server";

/** The state a sync wrote, or why it wrote nothing. */
export type SyncOutcome =
  /** `newCard`: "trying" while another sync pays with it, so the state is about to change. */
  | { kind: "synced"; userId: string; state: BillingState; newCard: NewCard }
  | { kind: "unknown-customer" };

/** A snapshot of a customer's billing state at Stripe, with its sequence number. */
export type BillingSnapshot = CustomerBilling & {
  stripeCustomerId: string;
  number: number;
  at: Date;
  /** Whether a required change at Stripe failed and must be retried soon. */
  isUnfinished: boolean;
};

/**
 * Updates a Stripe customer's profile row from Stripe; the only writer of billing state. Holds no database connection
 * or lock while calling Stripe. Writes nothing on an error. Throws UnknownCustomer, and Stripe's and PostgreSQL's
 * errors.
 */
export async function syncCustomer(stripeCustomerId: string): Promise<SyncOutcome> {
  try {
    const snapshot = await takeSnapshot(stripeCustomerId);
    if (!snapshot) return unknownCustomer(stripeCustomerId);
    const written = await db().transaction((tx) => writeSnapshot(snapshot, tx));
    return reportSync(snapshot, written);
  } catch (error) {
    billingSyncs.inc({ outcome: "failed" });
    throw error;
  }
}

/**
 * Reads a customer's billing state from Stripe; null if no profile has the customer. Snapshots are numbered before
 * calling Stripe: one with a higher number includes everything that had happened when a lower number was requested.
 * Concurrent calls for the same customer and purpose share the pending run; the active one may have read Stripe
 * before the payment.
 */
export function takeSnapshot(stripeCustomerId: string): Promise<BillingSnapshot | null> {
  return coalesce(`snapshot ${callPurpose()} ${stripeCustomerId}`, async () => {
    const profile = await findProfileByCustomer(stripeCustomerId);
    if (!profile) return null;
    const first = await readBilling(stripeCustomerId);
    // Notify at once: a later snapshot finds the action done, and a later failure would suppress the notice.
    const isEmailDue = !(await isEmailUpToDate(profile));
    const { hasChanged, ...actions } = await applyActions(
      first,
      profile.id,
      async ({ dispute, ...action }) => {
        await notifyAuthor({ userId: profile.id, stripeCustomerId, ...action });
        if (dispute) await recordDispute(dispute, first.at);
        wakeMailWorker();
      },
    );
    const isUnfinished = isEmailDue || actions.isUnfinished;
    if (!hasChanged) return { ...first, isUnfinished };
    try {
      // Read again, so a payment made by these changes gives access at once.
      return { ...(await readBilling(stripeCustomerId)), isUnfinished };
    } catch (error) {
      log().error(
        { stripeCustomerId, err: error },
        "the customer could not be read again after changes at Stripe; it is synced again soon",
      );
      return { ...first, isUnfinished: true };
    }
  });
}

/** Sends Stripe the account's address if it is due; returns false if that failed. */
async function isEmailUpToDate(profile: Profile): Promise<boolean> {
  try {
    await updateCustomerEmail(profile);
    return true;
  } catch (error) {
    // deleted at Stripe, as its billing state shows
    if (isMissingAtStripe(error)) return true;
    log().error({ userId: profile.id, err: error }, "Stripe could not be told a new address");
    return false;
  }
}

async function readBilling(stripeCustomerId: string) {
  const at = new Date();
  const number = await nextSyncNumber();
  return { ...(await fetchBilling(stripeCustomerId)), stripeCustomerId, number, at };
}

/** Makes the changes at Stripe that disputes and new cards require, and reports those for disputes. */
async function applyActions(
  billing: CustomerBilling,
  userId: string,
  onAction: (action: DisputeAction) => Promise<void>,
) {
  let hasChanged = false;
  try {
    await markMemberships(billing.memberships, userId);
    await applyDisputeActions(billing.memberships, async (action) => {
      hasChanged = true;
      await onAction(action);
    });
    const hasNewCard = await switchToNewCard(billing);
    return { hasChanged: hasNewCard || hasChanged, isUnfinished: false };
  } catch (error) {
    // The row is still written, and the timer retries the rest.
    log().error({ err: error }, "a membership could not be changed at Stripe; it is retried");
    return { hasChanged: true, isUnfinished: true };
  }
}

/** Marks live memberships and their customer as this site's, and as those of the account that has them. */
async function markMemberships(
  memberships: readonly ExaminedMembership[],
  userId: string,
): Promise<void> {
  const { customers, subscriptions } = stripeClient();
  for (const { subscription } of liveMemberships(memberships)) {
    const { id, metadata, customer } = subscription;
    if (!isMarked(metadata) || metadata.userId !== userId) {
      await subscriptions.update(id, { metadata: { ...(await siteMark()), userId } });
    }
    if (typeof customer === "string" || customer.deleted) continue;
    // another program may have made an unmarked customer for an account of its own
    if (!isMarked(customer.metadata)) {
      await customers.update(customer.id, { metadata: await siteMark() });
    } else if (customer.metadata.userId !== userId) {
      await customers.update(customer.id, { metadata: { userId } });
    }
  }
}

/** The row before and after writing a snapshot; null if no profile has the customer any more. */
export type WrittenSnapshot = { before: Profile; state: BillingState; isStale: boolean } | null;

/**
 * Writes a snapshot to the customer's row, in the caller's transaction, unless a higher number is already written.
 * Notifies the author of a new refund, and the member of changes to the membership. The caller passes the result to
 * `reportSync` after the commit.
 */
export async function writeSnapshot(
  snapshot: BillingSnapshot,
  tx: Transaction,
): Promise<WrittenSnapshot> {
  const row = await lockProfileByCustomer(snapshot.stripeCustomerId, tx);
  if (!row) return null;
  if (row.syncNumber > snapshot.number) return { before: row, state: row, isStale: true };
  const before = withoutGrant(row, await findGrantedUntil(row.id, tx));

  const { state, memberships, price, nextPayment, at } = snapshot;
  if (price) await insertStripePrice(price, tx);
  const isMember = liveMemberships(memberships).length > 0;
  const counted = countedMembership(memberships, state);
  const checkoutOpenedAt = isMember ? null : before.checkoutOpenedAt;
  await writeBillingState(
    before.id,
    state,
    {
      ...nextPayment,
      confirmPaymentUrl: counted?.confirmation?.url ?? null,
      checkoutOpenedAt,
      syncNumber: snapshot.number,
      syncedAt: at,
      syncDueAt: nextSyncAt(snapshot, checkoutOpenedAt),
    },
    tx,
  );
  await recordSecondMembership(before, state, at, tx);
  const { accessRevoked, stripeSubscriptionId: subscriptionId } = state;
  if (accessRevoked === "refund" && before.accessRevoked !== "refund" && subscriptionId) {
    const { stripeCustomerId } = snapshot;
    await notifyAuthor(
      { kind: "refunded", userId: before.id, stripeCustomerId, subscriptionId },
      tx,
    );
  }
  await reportDeletion(before, snapshot, tx);
  const paid = paidMemberships(memberships);
  // skip users who have never had a subscription
  if (paid.length > 0 || before.stripeSubscriptionId !== null) {
    await recordMemberships(before.id, paid, at, tx);
  }
  await recordRenewalFailures(renewalInvoices(before, snapshot), tx);
  if (callPurpose() !== "webhook" && showsNewPayment(before, snapshot)) {
    await recordPaymentWithoutWebhook(tx);
  }
  await enqueueMembershipMails(before, snapshot, tx);
  return { before, state, isStale: false };
}

/** Notifies the author that a member's customer was deleted at Stripe, unless the account is being deleted. */
async function reportDeletion(
  before: Profile,
  { isDeleted, stripeCustomerId }: BillingSnapshot,
  tx: Transaction,
): Promise<void> {
  const { id: userId, stripeSubscriptionId: subscriptionId, stripePriceId } = before;
  // the row forgets the price with this snapshot, so it is said once
  if (!isDeleted || subscriptionId === null || stripePriceId === null) return;
  if (await isDeletionPending(userId, tx)) return;
  await notifyAuthor({ kind: "customer-deleted", userId, stripeCustomerId, subscriptionId }, tx);
}

/** Counts and logs a written snapshot and wakes the mail worker; returns the sync's outcome. */
export function reportSync(snapshot: BillingSnapshot, written: WrittenSnapshot): SyncOutcome {
  const { stripeCustomerId } = snapshot;
  if (!written) return unknownCustomer(stripeCustomerId);
  const { before, state, isStale } = written;
  const userId = before.id;
  const synced = { kind: "synced", userId, state } as const;
  if (isStale) {
    billingSyncs.inc({ outcome: "stale" });
    log().info({ userId, stripeCustomerId }, "a newer snapshot of Stripe was already written");
    return { ...synced, newCard: null };
  }
  const subscriptionId = state.stripeSubscriptionId;
  wakeMailWorker();
  billingSyncs.inc({ outcome: "synced" });
  log().info(
    {
      userId,
      stripeCustomerId,
      subscription: subscriptionId,
      status: state.stripeSubscriptionStatus,
      accessUntil: state.stripeCurrentPeriodEnd,
      revoked: state.accessRevoked ?? undefined,
    },
    "billing state synced",
  );
  return { ...synced, newCard: newCardOf(snapshot) };
}

function unknownCustomer(stripeCustomerId: string): SyncOutcome {
  billingSyncs.inc({ outcome: "unknown" });
  log().info({ stripeCustomerId }, "no profile has this Stripe customer; nothing to sync");
  return { kind: "unknown-customer" };
}
