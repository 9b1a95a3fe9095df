import { describeMembership } from "~/features/membership/describe-membership";
import { formatCount } from "~/features/newsletter/format-count";
import type { MemberOverview } from "~db/queries/members";

/** What is deleted with an account, in words for the operator and the authors: names with one or several facts. */
export function describeDeletion(
  member: MemberOverview,
  now: Date,
): [what: string, ...facts: string[]][] {
  const isAtStripe = Boolean(member.profile?.stripeCustomerId);
  const atStripe = "it ends at Stripe without a refund, and Stripe keeps the receipts";
  return [
    ["membership", describeMembership(member.profile, now), ...(isAtStripe ? [atStripe] : [])],
    ["notes", `on ${formatCount(member.notes, "text")}`],
    ["newsletter", member.newsletter ? "is removed from the list" : "isn't on the list"],
    ["and", "picture, passkeys, sessions, reading progress, podcast address"],
  ];
}

/** Says what a deletion had to leave at Stripe, and what has to be done there. */
export function describeLeftCustomer(
  customer: string,
  { profile }: Pick<MemberOverview, "profile">,
): string {
  const subscription = profile?.stripeSubscriptionId;
  const what = subscription
    ? ` with the subscription ${subscription}, which may still be charged`
    : "";
  return `Stripe did not delete the customer ${customer}${what}: delete it in Stripe's dashboard.`;
}
