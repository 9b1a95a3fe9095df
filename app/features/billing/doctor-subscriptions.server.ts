import { type Advice, type Finding, named } from "./doctor-finding";
import { forEachAccountMembership } from "./reconcile-from-stripe.server";

/** For each reason why a membership matches no row, the finding and the advice. */
const PROBLEMS = {
  lost: { problem: "paid by an account whose row does not know it", advice: "adopt" },
  surplus: {
    problem: "paid by an account that pays another one already",
    advice: "cancelSurplus",
  },
  ownerless: { problem: "paid by nobody who has an account", advice: "cancelOrphan" },
} as const satisfies Record<string, { problem: string; advice: Advice }>;

/**
 * Lists the account's live subscriptions to our products that match no row. Subscriptions to the author's other
 * products are ignored.
 */
export async function checkSubscriptions(): Promise<Finding[]> {
  const found = { lost: [] as string[], surplus: [] as string[], ownerless: [] as string[] };
  let checked = 0;
  await forEachAccountMembership(async ({ subscriptionId, stripeCustomerId, owner }) => {
    checked++;
    if (owner.kind !== "linked") found[owner.kind].push(`${subscriptionId} of ${stripeCustomerId}`);
  });
  const findings = (Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[]).flatMap((kind) => {
    const { problem, advice } = PROBLEMS[kind];
    const ids = found[kind];
    if (ids.length === 0) return [];
    return [
      { ok: false, what: "Subscriptions", found: `${problem}: ${named(ids)}`, advice } as Finding,
    ];
  });
  return findings.length > 0
    ? findings
    : [{ ok: true, what: "Subscriptions", found: `all ${checked} belong to an account` }];
}
