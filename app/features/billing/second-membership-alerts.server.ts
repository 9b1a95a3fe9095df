import type { Transaction } from "~db/client";
import { insertAlert, lockOpenAlert, updateAlert } from "~db/queries/operator-alerts";
import type { Profile } from "~db/schema";
import type { BillingState } from "./subscription-state";

/**
 * Opens the operator's alert that a member pays for two memberships, or records that it is over, in the transaction
 * that writes the state; `app/features/checks/` notifies the operator.
 */
export async function recordSecondMembership(
  before: Pick<Profile, "id" | "secondSubscriptionId">,
  { stripeSubscriptionId: first, secondSubscriptionId: second }: BillingState,
  at: Date,
  tx: Transaction,
): Promise<void> {
  if (second === before.secondSubscriptionId) return;
  const key = `two-memberships:${before.id}`;
  const known = await lockOpenAlert(key, tx);
  const facts = { userId: before.id, first: first ?? "", second: second ?? "" };
  if (known) {
    const isOver = second === null;
    await updateAlert(known.id, { facts: isOver ? { ...known.facts, isOver: 1 } : facts }, tx);
  } else if (second !== null) {
    await insertAlert({ kind: "two-memberships", key, facts, openedAt: at, reportAfterMs: 0 }, tx);
  }
}
