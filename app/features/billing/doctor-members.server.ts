import type { Profile } from "~db/schema";
import { forEachBilledProfile, type Progress } from "./billed-profiles.server";
import { fetchBilling, UnknownCustomer } from "./customer-billing.server";
import { type Finding, named } from "./doctor-finding";
import { liveMemberships } from "./subscription-state";

export type MembersWalk = {
  /** The user id to resume after. */
  afterId?: string | null;
  /** Called with the progress after each page. */
  onProgress?: (progress: Progress) => void;
};

/**
 * Compares every member's row with Stripe, several concurrently within the call budget. Reports rows that
 * differ, members who pay twice, and subscriptions still charged after a refund or dispute. Changes nothing.
 */
export async function checkMembers(walk: MembersWalk = {}): Promise<Finding[]> {
  const findings: Finding[] = [];
  const unknown: string[] = [];
  const checked = await forEachBilledProfile(async (profile) => {
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
      found: `${unknown.length} have a customer that Stripe does not know in this account and mode: ${named(unknown)}`,
      advice: "unlinkUnknown",
    });
  }
  return findings.length > 0
    ? findings
    : [{ ok: true, what: "Members", found: `${checked} rows agree with Stripe` }];
}

async function examine(profile: Profile, stripeCustomerId: string): Promise<Finding[]> {
  const { state, memberships } = await fetchBilling(stripeCustomerId);
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
      ...(isChargedInDispute ? ["is still charged while a payment is disputed"] : []),
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
      found: `was refunded in full, and ${subscription.id} is still charged`,
      advice: "cancelRefunded",
    });
  }
  return findings;
}
