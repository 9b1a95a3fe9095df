import { type MembershipStatus, membershipStatus } from "~/features/membership/membership-state";
import type { Profile } from "~db/schema";
import { cancelAtOf } from "./access-end-rule";
import type { CustomerBilling, ExaminedMembership } from "./customer-billing.server";
import { findOpenInvoice } from "./open-invoice";
import { isOver } from "./subscription-state";

/** An amount of money, in Stripe's minor unit of the currency. */
export type Amount = { unitAmount: number; currency: string };

/** A change to a membership that its owner is mailed about. */
export type MembershipFact = {
  /** Identifies the fact, no matter how often or by which process it is found. */
  key: string;
  /** When it happened. */
  at: Date;
} & (
  | { kind: "begun"; renewsAt: Date | null }
  /** `accessUntil` is null if access has ended. */
  | {
      kind: "renewal-failed";
      amount: Amount;
      accessUntil: Date | null;
      /** Stripe's page on which the holder has to confirm the payment; null if it was declined. */
      confirmUrl: string | null;
    }
  | { kind: "cancelled"; status: Exclude<MembershipStatus, { kind: "renews" | "complimentary" }> }
  | { kind: "ended" }
  | { kind: "twice" }
  | { kind: "refunded"; amount: Amount; status: StatusAfterRefund }
);

/** How a membership continues after its payment was refunded. */
export type StatusAfterRefund = { kind: "renews" } | { kind: "ends"; at: Date } | { kind: "ended" };

type RowBefore = Pick<
  Profile,
  | "stripePriceId"
  | "stripeSubscriptionId"
  | "stripeSubscriptionStatus"
  | "stripeCancelAtPeriodEnd"
  | "accessRevoked"
  | "secondSubscriptionId"
>;

type Snapshot = Pick<CustomerBilling, "state" | "memberships"> & {
  at: Date;
  isUnfinished: boolean;
};

/**
 * Maximum age of a fact that is mailed, in milliseconds. After an outage a mail may be late; after a restored backup
 * or re-linked memberships, old facts are not news.
 */
const MAX_AGE_MS = 3 * 24 * 60 * 60 * 1_000;

/** Statuses of a subscription that has begun and has not ended. */
const RUNNING = new Set(["active", "trialing", "past_due", "unpaid", "paused"]);

/**
 * Returns the facts a snapshot is the first to show, compared with the row it replaces. Considers only the membership
 * that counts, and skips one that is already old when the row first has it. Disputes are not included: members open
 * them at their bank, which informs them. Pages show that the membership is paused, and a lost dispute's end counts
 * as a normal end.
 */
export function membershipFacts(before: RowBefore, snapshot: Snapshot): MembershipFact[] {
  const { state, memberships, at: now } = snapshot;
  const find = (wanted: string | null) =>
    memberships.find(({ subscription }) => subscription.id === wanted);
  const isNew = ({ at }: { at: Date }) => now.getTime() - at.getTime() <= MAX_AGE_MS;

  const facts: (MembershipFact | null)[] = [];
  const current = find(state.stripeSubscriptionId);
  if (current) {
    const known = before.stripeSubscriptionId === current.subscription.id ? before : null;
    if (known || isNew({ at: begunAt(current) })) {
      const refunded = refundedFact(known, current, snapshot);
      facts.push(
        begunFact(known, current, snapshot),
        renewalFailedFact(current, snapshot),
        canceledFact(known, current, snapshot),
        refunded,
      );
      if (refunded?.status.kind === "ended") return facts.filter(isFact).filter(isNew);
    }
  }
  const { secondSubscriptionId: second } = state;
  if (second !== null && before.secondSubscriptionId === null) {
    facts.push({ kind: "twice", key: `twice:${second}`, at: now });
  }
  const last = find(before.stripeSubscriptionId);
  facts.push(last ? endedFact(before, last, snapshot) : null);
  return facts.filter(isFact).filter(isNew);
}

function begunFact(
  known: RowBefore | null,
  current: ExaminedMembership,
  { state }: Snapshot,
): MembershipFact | null {
  if (state.stripePriceId === null || known?.stripePriceId) return null;
  const isRenewing = membershipStatus(state).kind === "renews";
  return {
    kind: "begun",
    key: `begun:${current.subscription.id}`,
    at: begunAt(current),
    renewsAt: isRenewing ? dateOf(current.item.current_period_end) : null,
  };
}

/** Reports a failed renewal once per invoice, which stays open until it is paid. */
function renewalFailedFact(
  current: ExaminedMembership,
  { state, at: now, isUnfinished }: Snapshot,
): MembershipFact | null {
  const invoice = findOpenInvoice(current);
  if (invoice?.billing_reason !== "subscription_cycle") return null;
  if (isOver(current.subscription) || current.subscription.pause_collection) return null;
  // it may have been paid with a new card since it was read; the next snapshot shows that
  if (isUnfinished || state.accessRevoked) return null;
  const end = state.stripeCurrentPeriodEnd;
  return {
    kind: "renewal-failed",
    key: `renewal-failed:${invoice.id}`,
    at: dateOf(invoice.status_transitions.finalized_at ?? invoice.created),
    amount: { unitAmount: invoice.amount_remaining, currency: invoice.currency },
    accessUntil: end !== null && end > now ? end : null,
    confirmUrl: current.confirmation?.url ?? null,
  };
}

function canceledFact(
  known: RowBefore | null,
  current: ExaminedMembership,
  snapshot: Snapshot,
): MembershipFact | null {
  const { state, at: now } = snapshot;
  const status = membershipStatus(state);
  if (status.kind === "renews" || status.kind === "complimentary") return null;
  if (known?.stripeCancelAtPeriodEnd) return null;
  if (hasAnother(current, snapshot)) return null;
  const { id, canceled_at } = current.subscription;
  return {
    kind: "cancelled",
    key: `cancelled:${id}:${canceled_at ?? status.at}`,
    at: canceled_at === null ? now : dateOf(canceled_at),
    status,
  };
}

/** Returns the refund, including the end of the membership if it has ended. */
function refundedFact(
  known: RowBefore | null,
  current: ExaminedMembership,
  snapshot: Snapshot,
): Extract<MembershipFact, { kind: "refunded" }> | null {
  const { refund, subscription } = current;
  const hasEnded = isOver(subscription);
  if (!refund || known?.accessRevoked === "refund" || hasAnother(current, snapshot)) return null;
  if (!hasEnded && snapshot.state.accessRevoked !== "refund") return null;
  return {
    kind: "refunded",
    key: `refunded:${refund.chargeId}`,
    at: refund.at,
    amount: { unitAmount: refund.amount, currency: refund.currency },
    status: hasEnded ? { kind: "ended" } : statusAfterRefund(current),
  };
}

/** Returns the status after a refund. A cancellation beyond the current period does not prevent the next charge. */
function statusAfterRefund({ subscription, item }: ExaminedMembership): StatusAfterRefund {
  const end = cancelAtOf(subscription, item);
  return end === null || end > item.current_period_end
    ? { kind: "renews" }
    : { kind: "ends", at: dateOf(end) };
}

function endedFact(
  before: RowBefore,
  last: ExaminedMembership,
  snapshot: Snapshot,
): MembershipFact | null {
  const { id, ended_at } = last.subscription;
  const wasRunning = RUNNING.has(before.stripeSubscriptionStatus ?? "");
  if (!wasRunning || !isOver(last.subscription)) return null;
  if (hasAnother(last, snapshot)) return null;
  return { kind: "ended", key: `ended:${id}`, at: ended_at ? dateOf(ended_at) : snapshot.at };
}

/** Returns whether the member has another running membership, which would make mails about this one wrong. */
function hasAnother({ subscription }: ExaminedMembership, { memberships }: Snapshot): boolean {
  return memberships.some(
    ({ subscription: { id, status } }) => id !== subscription.id && RUNNING.has(status),
  );
}

/** Returns when a membership was first paid, which takes days with some methods; if unknown, when it was bought. */
function begunAt({ subscription, invoices }: ExaminedMembership): Date {
  const first = invoices.find(({ billing_reason }) => billing_reason === "subscription_create");
  return dateOf(first?.status_transitions.paid_at ?? subscription.created);
}

function isFact(fact: MembershipFact | null): fact is MembershipFact {
  return fact !== null;
}

function dateOf(seconds: number): Date {
  return new Date(seconds * 1_000);
}
