import type { Profile } from "~db/schema";

/** A problem of a membership that has not ended. */
export type MembershipTrouble =
  | "past-due"
  | "unpaid"
  | "refunded"
  | "disputed"
  | "paused"
  | "confirming";

/** Statuses of a subscription (https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses). */
const TROUBLES: Record<string, MembershipTrouble> = {
  past_due: "past-due",
  unpaid: "unpaid",
  paused: "paused",
  incomplete: "confirming",
};

/** The problem to show to the member; null for a membership without one, an ended one, or none. */
export function membershipTrouble({
  accessWithdrawn,
  stripeSubscriptionStatus,
}: Pick<Profile, "accessWithdrawn" | "stripeSubscriptionStatus">): MembershipTrouble | null {
  if (accessWithdrawn === "dispute") return "disputed";
  if (accessWithdrawn === "refund") return "refunded";
  return TROUBLES[stripeSubscriptionStatus ?? ""] ?? null;
}

/** How a membership continues; `at` is an ISO 8601 instant. */
export type MembershipOutlook =
  | { kind: "renews" }
  /** Nothing more is charged, and access lasts until then. */
  | { kind: "ends"; at: string }
  /** It is charged as usual until then. */
  | { kind: "renews-until"; at: string }
  /** It ends then, whether or not what is owed gets paid. */
  | { kind: "ends-in-trouble"; at: string };

/**
 * How a membership continues. With a cancellation at the period's end, access ends when the subscription does;
 * if access ends sooner, there are periods, and charges, in between.
 */
export function membershipOutlook({
  stripeCancelAt,
  stripeCancelAtPeriodEnd,
  stripeCurrentPeriodEnd,
  ...profile
}: Pick<
  Profile,
  | "stripeCancelAt"
  | "stripeCancelAtPeriodEnd"
  | "stripeCurrentPeriodEnd"
  | "accessWithdrawn"
  | "stripeSubscriptionStatus"
>): MembershipOutlook {
  const end = stripeCancelAt ?? (stripeCancelAtPeriodEnd ? stripeCurrentPeriodEnd : null);
  if (!end) return { kind: "renews" };
  const at = end.toISOString();
  if (membershipTrouble(profile)) return { kind: "ends-in-trouble", at };
  const isFarAhead = stripeCurrentPeriodEnd !== null && stripeCurrentPeriodEnd < end;
  return { kind: isFarAhead ? "renews-until" : "ends", at };
}
