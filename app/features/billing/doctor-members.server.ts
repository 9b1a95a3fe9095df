import type { Profile } from "~db/schema";
import { forEachBilledProfile, type Progress } from "./billed-profiles.server";
import { askBilling, UnknownCustomer } from "./customer-billing.server";
import { type Finding, named } from "./doctor-finding";
import { liveMemberships } from "./subscription-state";

export type MembersWalk = {
  /** The id of the account to go on after. */
  afterId?: string | null;
  /** Hears how far the walk is. */
  tell?: (progress: Progress) => void;
};

/**
 * Compares every member's row with what Stripe says, several at a time under the budget of calls: those that
 * differ, who pays twice, and what goes on though its payment was taken back. Changes nothing.
 */
export async function checkMembers(walk: MembersWalk = {}): Promise<Finding[]> {
  const findings: Finding[] = [];
  const unknown: string[] = [];
  const looked = await forEachBilledProfile(async (profile) => {
    try {
      findings.push(...(await examine(profile, profile.stripeCustomerId)));
    } catch (error) {
      if (!(error instanceof UnknownCustomer)) throw error;
      unknown.push(profile.id);
    }
  }, walk);
  if (unknown.length > 0) {
    findings.push({
      ok: false,
      what: "Members",
      found: `${unknown.length} name a customer that Stripe does not know in this account and mode: ${named(unknown)}`,
      advice: "unlinkUnknown",
    });
  }
  return findings.length > 0
    ? findings
    : [{ ok: true, what: "Members", found: `${looked} rows agree with Stripe` }];
}

async function examine(profile: Profile, stripeCustomerId: string): Promise<Finding[]> {
  const { state, memberships } = await askBilling(stripeCustomerId);
  const what = `Member ${profile.id}`;
  const findings: Finding[] = [];
  const fields = Object.keys(state) as (keyof typeof state)[];
  const differing = fields.filter((field) => String(state[field]) !== String(profile[field]));
  const live = liveMemberships(memberships);
  const isChargedInDispute = live.some(
    ({ coverage, subscription }) =>
      coverage.withdrawn === "dispute" && !subscription.pause_collection,
  );
  if (differing.length > 0 || isChargedInDispute) {
    const problems = [
      ...(differing.length > 0 ? [`differs from Stripe in ${differing.join(", ")}`] : []),
      ...(isChargedInDispute ? ["is charged on while a payment is disputed"] : []),
    ];
    findings.push({ ok: false, what, found: problems.join("; "), advice: "syncAll" });
  }
  if (live.length > 1) {
    const ids = live.map(({ subscription }) => subscription.id).join(", ");
    findings.push({
      ok: false,
      what,
      found: `has ${live.length} live subscriptions: ${ids}`,
      advice: "cancelSurplus",
    });
  }
  for (const { subscription, coverage } of live) {
    if (coverage.withdrawn !== "refund") continue;
    findings.push({
      ok: false,
      what,
      found: `was refunded in full, and ${subscription.id} goes on to be charged`,
      advice: "cancelRefunded",
    });
  }
  return findings;
}
