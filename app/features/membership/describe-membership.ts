import type { Profile } from "~db/schema";
import { isSubscribed } from "./access";
import { membershipProblem, membershipStatus } from "./membership-state";
import { nextPayment } from "./next-payment";

/** An account's membership in one line, for the operator and the authors; days are in UTC. */
export function describeMembership(profile: Profile | null, now: Date): string {
  const end = profile?.stripeCurrentPeriodEnd;
  if (!profile || !end) return "not premium";
  if (!isSubscribed(profile, now)) return `not premium, access ended ${dayOf(end)}`;
  const status = membershipStatus(profile, now);
  const payment = nextPayment(profile);
  return [
    `premium until ${dayOf(end)}`,
    status.kind === "complimentary" || status.kind === "renews"
      ? status.kind
      : `ends ${status.at.slice(0, 10)}`,
    payment && `next payment ${payment.amount ?? ""} on ${payment.at.slice(0, 10)}`,
    membershipProblem(profile),
  ]
    .filter(Boolean)
    .join(", ");
}

const dayOf = (time: Date) => time.toISOString().slice(0, 10);
