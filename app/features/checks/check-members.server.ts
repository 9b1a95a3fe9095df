import { forEachBilledProfile, type Progress } from "~/features/billing/billed-profiles.server";
import { fetchBilling, UnknownCustomer } from "~/features/billing/customer-billing.server";
import { inPages } from "~/features/billing/in-parallel";
import { forEachAccountMembership } from "~/features/billing/reconcile-from-stripe.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { isOurs, siteMark } from "~/features/billing/stripe-site.server";
import { liveMemberships } from "~/features/billing/subscription-state";
import { withGrant } from "~/features/billing/write-billing-state.server";
import { findMissingUsers } from "~db/queries/billing-examination";
import { findGrantedUntil } from "~db/queries/membership-grants";
import type { Profile } from "~db/schema";
import { isUuid } from "~db/uuid";
import { type Answer, ok, problem } from "./answer";
import { listIds, STRIPE_ADVICE } from "./stripe-advice";

const PAGE_SIZE = 100;

/** Which members to check. */
export type MembersWalk = {
  /** The user id to resume after. */
  afterId?: string | null;
  /** Called with the progress after each page. */
  onProgress?: (progress: Progress) => void;
};

/** Text and advice for each reason why a membership matches no row. */
const UNMATCHED = [
  ["lost", "paid by an account whose row does not know it", STRIPE_ADVICE.adopt],
  ["surplus", "paid by an account that pays another one already", STRIPE_ADVICE.cancelSurplus],
  ["ownerless", "sold by this site, but not to an account", STRIPE_ADVICE.cancelOrphan],
] as const;

/**
 * Lists the live memberships that this site sold and that match no row, and those to its products that it did not
 * sell. Other sites' and the author's other products are ignored.
 */
export async function checkSubscriptions(): Promise<Answer[]> {
  const what = "Subscriptions";
  const unmatched = { lost: [] as string[], surplus: [] as string[], ownerless: [] as string[] };
  const notSold: string[] = [];
  let checked = 0;
  await forEachAccountMembership(async ({ subscriptionId, stripeCustomerId, owner: { kind } }) => {
    if (kind === "not-sold") return void notSold.push(subscriptionId);
    checked++;
    if (kind !== "linked") unmatched[kind].push(`${subscriptionId} of ${stripeCustomerId}`);
  });
  const answers = UNMATCHED.flatMap(([kind, found, advice]) => {
    const ids = unmatched[kind];
    return ids.length > 0 ? [problem(what, `${found}: ${listIds(ids)}`, advice)] : [];
  });
  if (answers.length === 0) answers.push(ok(what, `all ${checked} belong to an account`));
  if (notSold.length === 0) return answers;
  const found = `not sold by this site: ${listIds(notSold)}; 'stripe give <id> <email>' gives one to an account`;
  return [...answers, ok(what, found)];
}

/**
 * Lists the customers that this site created for accounts that have since been deleted. They are not an error,
 * since a customer alone is not charged; a membership that one of them pays is a separate finding.
 */
export async function checkCustomers(): Promise<Answer[]> {
  const ownerless: string[] = [];
  let checked = 0;
  const mark = await siteMark();
  const customers = stripeClient().customers.list({ limit: PAGE_SIZE });
  for await (const page of inPages(customers, PAGE_SIZE)) {
    const ours = page.filter(({ metadata }) => isOurs(metadata, mark, { named: false }));
    const userIds = ours.flatMap(({ metadata: { userId } }) =>
      userId && isUuid(userId) ? [userId] : [],
    );
    const missing = await findMissingUsers(userIds);
    for (const { id, metadata } of ours) if (missing.has(metadata.userId ?? "")) ownerless.push(id);
    checked += userIds.length;
  }
  const found =
    ownerless.length === 0
      ? `all ${checked} belong to an account`
      : `${ownerless.length} of ${checked} are of accounts that are gone: ${listIds(ownerless)}; those that you sell nothing else to may be deleted in Stripe's dashboard`;
  return [ok("Customers", found)];
}

/**
 * Compares every member's row with Stripe, several concurrently within the call budget. Reports rows that
 * differ, members who pay twice, and subscriptions still charged after a refund or dispute. Changes nothing.
 */
export async function checkMembers(walk: MembersWalk): Promise<Answer[]> {
  const what = "Members";
  const answers: Answer[] = [];
  const unknown: string[] = [];
  const soldBy = new Map<string, string[]>();
  const checked = await forEachBilledProfile(async (profile) => {
    try {
      answers.push(...(await checkMember(profile, profile.stripeCustomerId)));
    } catch (error) {
      if (!(error instanceof UnknownCustomer)) throw error;
      const { soldBy: site } = error;
      if (site) soldBy.set(site, [...(soldBy.get(site) ?? []), profile.id]);
      else unknown.push(profile.id);
    }
  }, walk);
  for (const [site, ids] of soldBy) {
    const found = `${ids.length} have a membership sold by site ${site}: ${listIds(ids)}`;
    answers.push(problem(what, found, STRIPE_ADVICE.adoptSite));
  }
  if (unknown.length > 0) {
    const found = `${unknown.length} have a customer that Stripe does not know in this account and mode: ${listIds(unknown)}`;
    answers.push(problem(what, found, STRIPE_ADVICE.unlinkUnknown));
  }
  return answers.length > 0 ? answers : [ok(what, `${checked} rows agree with Stripe`)];
}

async function checkMember(profile: Profile, stripeCustomerId: string): Promise<Answer[]> {
  const { state: paid, memberships } = await fetchBilling(stripeCustomerId);
  const state = { ...paid, ...withGrant(paid, await findGrantedUntil(profile.id)) };
  const what = `Member ${profile.id}`;
  const answers: Answer[] = [];
  const fields = Object.keys(state) as (keyof typeof state)[];
  const differing = fields.filter((field) => String(state[field]) !== String(profile[field]));
  const live = liveMemberships(memberships);
  const isChargedInDispute = live.some(
    ({ coverage, subscription }) =>
      coverage.revoked === "dispute" && !subscription.pause_collection,
  );
  if (differing.length > 0 || isChargedInDispute) {
    const problems = [
      ...(differing.length > 0 ? [`differs from Stripe in ${differing.join(", ")}`] : []),
      ...(isChargedInDispute ? ["is still charged while a payment is disputed"] : []),
    ];
    answers.push(problem(what, problems.join("; "), STRIPE_ADVICE.syncAll));
  }
  if (live.length > 1) {
    const ids = live.map(({ subscription }) => subscription.id).join(", ");
    const found = `has ${live.length} live subscriptions: ${ids}`;
    answers.push(problem(what, found, STRIPE_ADVICE.cancelSurplus));
  }
  for (const { subscription, coverage } of live) {
    if (coverage.revoked !== "refund") continue;
    const found = `was refunded in full, and ${subscription.id} is still charged`;
    answers.push(problem(what, found, STRIPE_ADVICE.cancelRefunded));
  }
  return answers;
}
