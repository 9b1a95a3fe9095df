import { describeMembership } from "~/features/membership/describe-membership";
import { formatCount } from "~/features/newsletter/format-count";
import type { MemberOverview } from "~db/queries/members";

/** What the operator and the authors are told of an account: names and facts; days are in UTC. */
export function describeMember(member: MemberOverview): [name: string, fact: string][] {
  const { profile, newsletter, deletionStartedAt } = member;
  const facts: [string, string | null | undefined][] = [
    ["Address", member.emailConfirmedAt ? "confirmed" : "not confirmed"],
    ["Account", member.id],
    ["Created", member.createdAt.toISOString().slice(0, 10)],
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
