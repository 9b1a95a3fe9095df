import type { Profile } from "~db/schema";
import { isSubscribed } from "./access";

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

/** Statuses of a subscription that can give access, the highest ranked first; with any other, access is complimentary. */
export const RUNNING_STATUSES: readonly string[] = ["active", "trialing", "past_due"];

type ProblemFacts = Pick<
  Profile,
  "accessRevoked" | "stripeSubscriptionStatus" | "stripePriceId" | "isPaymentPending"
> &
  Partial<Pick<Profile, "confirmPaymentUrl" | "secondSubscriptionId">>;

/** How a membership continues; `at` is an ISO 8601 instant. */
export type MembershipStatus =
  /** Granted by the operator until then, and not paid for. */
  | { kind: "complimentary"; at: string }
  | { kind: "renews" }
  /** Nothing more is charged, and access lasts until then. */
  | { kind: "ends"; at: string }
  /** Charges continue as usual until then. */
  | { kind: "renews-until"; at: string }
  /** It ends then, even if what is owed gets paid. */
  | { kind: "ends-with-problem"; at: string };

type StatusFields = Pick<
  Profile,
  "stripeCurrentPeriodEnd" | "stripeCancelAt" | "stripeCancelAtPeriodEnd"
> &
  ProblemFacts & { nextPaymentAt?: Date | null };

/** Returns how a membership continues. A cancellation after the next payment lets Stripe charge until then. */
export function membershipStatus(profile: StatusFields, now = new Date()): MembershipStatus {
  const { stripeCancelAt, stripeCancelAtPeriodEnd, stripeCurrentPeriodEnd: accessEnd } = profile;
  if (accessEnd && isComplimentary(profile, now)) {
    return { kind: "complimentary", at: accessEnd.toISOString() };
  }
  const end = stripeCancelAt ?? (stripeCancelAtPeriodEnd ? accessEnd : null);
  if (!end) return { kind: "renews" };
  const at = end.toISOString();
  if (membershipProblem({ ...profile, secondSubscriptionId: null }))
    return { kind: "ends-with-problem", at };
  const isCharged = profile.nextPaymentAt != null || (accessEnd !== null && accessEnd < end);
  if (isCharged) return { kind: "renews-until", at };
  // a grant may last longer
  return { kind: "ends", at: (accessEnd && accessEnd > end ? accessEnd : end).toISOString() };
}

/** Returns whether there is access although no subscription gives it: then the operator has granted it. */
export function isComplimentary(profile: StatusFields, now: Date): boolean {
  const { stripeSubscriptionStatus: status, accessRevoked } = profile;
  const isPaid = accessRevoked === null && RUNNING_STATUSES.includes(status ?? "");
  return !isPaid && isSubscribed(profile, now);
}
