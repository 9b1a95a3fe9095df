import type { Profile } from "~db/schema";

/** A problem of a current membership. */
export type MembershipProblem =
  | "past-due"
  | "unpaid"
  | "refunded"
  | "disputed"
  | "paused"
  | "confirming"
  | "paid-twice";

/** Problems by subscription status (https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses). */
const PROBLEMS: Record<string, MembershipProblem> = {
  past_due: "past-due",
  unpaid: "unpaid",
  paused: "paused",
  incomplete: "confirming",
};

/** Returns the problem to show to the member; null if there is none, or no current membership. */
export function membershipProblem({
  accessRevoked,
  stripeSubscriptionStatus,
  secondSubscriptionId,
}: Pick<
  Profile,
  "accessRevoked" | "stripeSubscriptionStatus" | "secondSubscriptionId"
>): MembershipProblem | null {
  if (accessRevoked === "dispute") return "disputed";
  if (accessRevoked === "refund") return "refunded";
  return PROBLEMS[stripeSubscriptionStatus ?? ""] ?? (secondSubscriptionId ? "paid-twice" : null);
}

/** How a membership continues; `at` is an ISO 8601 instant. */
export type MembershipStatus =
  | { kind: "renews" }
  /** Nothing more is charged, and access lasts until then. */
  | { kind: "ends"; at: string }
  /** Charges continue as usual until then. */
  | { kind: "renews-until"; at: string }
  /** It ends then, even if what is owed gets paid. */
  | { kind: "ends-with-problem"; at: string };

/**
 * Returns how a membership continues. A cancellation after the current period lets Stripe charge further periods.
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
  if (membershipProblem({ ...profile, secondSubscriptionId: null }))
    return { kind: "ends-with-problem", at };
  const isFarAhead = stripeCurrentPeriodEnd !== null && stripeCurrentPeriodEnd < end;
  return { kind: isFarAhead ? "renews-until" : "ends", at };
}
