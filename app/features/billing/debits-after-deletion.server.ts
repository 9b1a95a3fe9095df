import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { log } from "~/observability/log.server";
import { db } from "~db/client";
import { isWithin } from "~db/clock";
import {
  deleteDebitAfterDeletion,
  findDebitsAfterDeletion,
  insertDebitsAfterDeletion,
} from "~db/queries/debits-after-deletion";
import { findProfileByCustomer } from "~db/queries/profiles";
import { notifyAuthor } from "./author-notice.server";
import { withCallPurpose } from "./call-purpose.server";
import { stripeClient } from "./stripe-client.server";

/** After this time an account is deleted or kept, in milliseconds. */
const DELETED_AFTER_MS = 15 * 60_000;

/** A debit that has not arrived after this time, in milliseconds, never will: SEPA takes three weeks at most. */
const FORGET_AFTER_MS = 60 * 24 * 60 * 60_000;

/**
 * Records a customer's bank debits that are on their way. Deleting the customer does not stop them. Throws Stripe's
 * and PostgreSQL's errors.
 */
export async function recordPendingDebits(stripeCustomerId: string): Promise<void> {
  const { data } = await stripeClient().charges.list({ customer: stripeCustomerId, limit: 100 });
  const pending = data.filter(({ status }) => status === "pending");
  await insertDebitsAfterDeletion(
    pending.map(({ id: stripeChargeId }) => ({ stripeChargeId, stripeCustomerId })),
  );
}

const GONE = { kind: "paid-after-deletion", userId: null, subscriptionId: null } as const;

/**
 * Notifies the author of debits that have arrived after their account was deleted, each once, and forgets those that
 * failed or whose account was kept. Logs Stripe's errors; throws PostgreSQL's.
 */
export async function followDebitsAfterDeletion(now = new Date()): Promise<void> {
  for (const debit of await findDebitsAfterDeletion()) {
    const { stripeChargeId: chargeId, stripeCustomerId } = debit;
    const age = now.getTime() - debit.createdAt.getTime();
    if (isWithin(debit.createdAt, DELETED_AFTER_MS, now)) continue;
    try {
      const { status } = await withCallPurpose("background", () =>
        stripeClient().charges.retrieve(chargeId),
      );
      if (status === "pending" && age < FORGET_AFTER_MS) continue;
      const isKept = (await findProfileByCustomer(stripeCustomerId)) !== null;
      await db().transaction(async (tx) => {
        const isFirst = await deleteDebitAfterDeletion(chargeId, tx);
        if (!isFirst || isKept || status !== "succeeded") return;
        await notifyAuthor({ ...GONE, stripeCustomerId, chargeId }, tx);
      });
      wakeMailWorker();
    } catch (error) {
      if (age >= FORGET_AFTER_MS) await deleteDebitAfterDeletion(chargeId);
      log().error({ charge: chargeId, err: error }, "a debit could not be looked up");
    }
  }
}
