import { formatCount } from "~/features/newsletter/format-count";
import type { MemberOverview } from "~db/queries/members";
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

/** What the operator and the authors are told of an account: names and facts; days are in UTC. */
export function describeMember(member: MemberOverview): [name: string, fact: string][] {
  const { profile, newsletter, deletionStartedAt } = member;
  const facts: [string, string | null | undefined][] = [
    ["Address", member.emailConfirmedAt ? "confirmed" : "not confirmed"],
    ["Account", member.id],
    ["Created", dayOf(member.createdAt)],
    ["Membership", describeMembership(profile, new Date())],
    ["Customer", profile?.stripeCustomerId ?? "none at Stripe"],
    ["Subscription", profile?.stripeSubscriptionId],
    [
      "Newsletter",
      !newsletter ? "no" : newsletter.confirmedAt ? "yes" : "asked for, but not confirmed",
    ],
    ["Logged in", formatCount(member.sessions, "browser")],
    ["Passkeys", formatCount(member.passkeys)],
    ["Notes on", formatCount(member.notes, "text")],
    ["Deletion", deletionStartedAt && `begun ${deletionStartedAt.toISOString()}, not ended yet`],
  ];
  return facts.flatMap(([name, fact]) => (fact ? [[name, fact]] : []));
}

const dayOf = (time: Date) => time.toISOString().slice(0, 10);
