import type { Profile } from "~db/schema";

/** A problem of a membership that has not ended. */
export type MembershipProblem =
  | "past-due"
  | "unpaid"
  | "refunded"
  | "disputed"
  | "paused"
  | "confirming";

/** Statuses of a subscription (https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses). */
const PROBLEMS: Record<string, MembershipProblem> = {
  past_due: "past-due",
  unpaid: "unpaid",
  paused: "paused",
  incomplete: "confirming",
};

/** The problem to show to the member; null for a membership without one, an ended one, or none. */
export function membershipProblem({
  accessRevoked,
  stripeSubscriptionStatus,
}: Pick<Profile, "accessRevoked" | "stripeSubscriptionStatus">): MembershipProblem | null {
  if (accessRevoked === "dispute") return "disputed";
  if (accessRevoked === "refund") return "refunded";
  return PROBLEMS[stripeSubscriptionStatus ?? ""] ?? null;
}

/** How a membership continues; `at` is an ISO 8601 instant. */
export type MembershipStatus =
  | { kind: "renews" }
  /** Nothing more is charged, and access lasts until then. */
  | { kind: "ends"; at: string }
  /** It is charged as usual until then. */
  | { kind: "renews-until"; at: string }
  /** It ends then, whether or not what is owed gets paid. */
  | { kind: "ends-with-problem"; at: string };

/**
 * How a membership continues. With a cancellation at the period's end, access ends when the subscription does;
 * if access ends sooner, there are periods, and charges, in between.
 */
export function membershipStatus({
  stripeCancelAt,
  stripeCancelAtPeriodEnd,
  stripeCurrentPeriodEnd,
  ...profile
}: Pick<
  Profile,
  | "stripeCancelAt"
  | "stripeCancelAtPeriodEnd"
  | "stripeCurrentPeriodEnd"
  | "accessRevoked"
  | "stripeSubscriptionStatus"
>): MembershipStatus {
  const end = stripeCancelAt ?? (stripeCancelAtPeriodEnd ? stripeCurrentPeriodEnd : null);
  if (!end) return { kind: "renews" };
  const at = end.toISOString();
  if (membershipProblem(profile)) return { kind: "ends-with-problem", at };
  const isFarAhead = stripeCurrentPeriodEnd !== null && stripeCurrentPeriodEnd < end;
  return { kind: isFarAhead ? "renews-until" : "ends", at };
}
