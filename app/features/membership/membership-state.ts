import type { Profile } from "~db/schema";

/** A problem of a current membership. */
export type MembershipProblem =
  | "past-due"
  | "unpaid"
  | "refunded"
  | "disputed"
  | "paused"
  /** A bank debit is on its way. */
  | "confirming"
  /** The holder has to confirm a payment at Stripe. */
  | "to-confirm"
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
  stripePriceId,
  isPaymentPending,
  confirmPaymentUrl,
  secondSubscriptionId,
}: ProblemFacts): MembershipProblem | null {
  if (accessRevoked === "dispute") return "disputed";
  if (accessRevoked === "refund") return "refunded";
  const problem = PROBLEMS[stripeSubscriptionStatus ?? ""] ?? null;
  // a first bank debit may leave a membership `active` that gives no access yet
  if (isPaymentPending && (problem !== null || stripePriceId === null)) return "confirming";
  if (problem === null) return secondSubscriptionId ? "paid-twice" : null;
  return confirmPaymentUrl ? "to-confirm" : problem;
}

type ProblemFacts = Pick<
  Profile,
  "accessRevoked" | "stripeSubscriptionStatus" | "stripePriceId" | "isPaymentPending"
> &
  Partial<Pick<Profile, "confirmPaymentUrl" | "secondSubscriptionId">>;

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
}: Pick<Profile, "stripeCancelAt" | "stripeCancelAtPeriodEnd" | "stripeCurrentPeriodEnd"> &
  ProblemFacts): MembershipStatus {
  const end = stripeCancelAt ?? (stripeCancelAtPeriodEnd ? stripeCurrentPeriodEnd : null);
  if (!end) return { kind: "renews" };
  const at = end.toISOString();
  if (membershipProblem({ ...profile, secondSubscriptionId: null }))
    return { kind: "ends-with-problem", at };
  const isFarAhead = stripeCurrentPeriodEnd !== null && stripeCurrentPeriodEnd < end;
  return { kind: isFarAhead ? "renews-until" : "ends", at };
}
