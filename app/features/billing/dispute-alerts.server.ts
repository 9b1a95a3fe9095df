import type Stripe from "stripe";
import { db, type Transaction } from "~db/client";
import {
  insertAlert,
  lockOpenAlert,
  updateAlert,
  wasAlertResolvedSince,
} from "~db/queries/operator-alerts";
import { idOf } from "./coverage";

/**
 * Statuses of a dispute that waits for the author or the bank
 * (https://docs.stripe.com/api/disputes/object#dispute_object-status).
 */
const OPEN = new Set([
  "needs_response",
  "under_review",
  "warning_needs_response",
  "warning_under_review",
]);

/** The facts of a dispute's alert: ids, the deadline and, once it is over, the outcome. */
type DisputeFacts = { dispute: string; charge: string; dueBy?: string; outcome?: string };

/** A dispute that is over opens no second alert, whenever it is read again. */
const EVER = new Date(0);

/**
 * Opens a dispute's alert, or records its outcome; `app/features/checks/` notifies the operator. `readAt` is a time
 * before the dispute was read from Stripe, so an older reading does not reopen a resolved alert. A bank debit that is
 * taken back arrives as a lost dispute, and is reported too. Idempotent.
 */
export async function recordDispute(
  dispute: Stripe.Dispute,
  readAt: Date,
  transaction?: Transaction,
): Promise<void> {
  if (!transaction) {
    return db().transaction((tx) => recordDispute(dispute, readAt, tx));
  }
  const key = `dispute:${dispute.id}`;
  const known = await lockOpenAlert(key, transaction);
  const facts = factsOf(dispute);
  if (known) {
    await updateAlert(known.id, { facts, seenAt: readAt }, transaction);
  } else if (
    (!facts.outcome || facts.outcome === "lost") &&
    !(await wasAlertResolvedSince(key, facts.outcome ? EVER : readAt, transaction))
  ) {
    const alert = { kind: "dispute", key, facts, openedAt: readAt, reportAfterMs: 0 };
    await insertAlert(alert, transaction);
  }
}

function factsOf({ id, charge, status, evidence_details }: Stripe.Dispute): DisputeFacts {
  const dueBy = evidence_details?.due_by;
  return {
    dispute: id,
    charge: idOf(charge) ?? "",
    ...(dueBy ? { dueBy: new Date(dueBy * 1_000).toISOString() } : {}),
    ...(OPEN.has(status) ? {} : { outcome: status }),
  };
}
