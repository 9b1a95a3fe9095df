import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { log } from "~/observability/log.server";
import { getDatabase } from "~db/client";
import {
  deleteDebitAfterDeletion,
  findDebitsAfterDeletion,
  insertDebitsAfterDeletion,
} from "~db/queries/debits-after-deletion";
import { notifyAuthor } from "./author-notice.server";
import { withCallPurpose } from "./call-purpose.server";
import { stripeClient } from "./stripe-client.server";

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
    stripeCustomerId,
    pending.map(({ id }) => id),
  );
}

const GONE = { kind: "paid-after-deletion", userId: null, subscriptionId: null } as const;

/**
 * Notifies the author of debits that have arrived after their account was deleted, each once, and forgets those that
 * failed. Logs Stripe's errors; throws PostgreSQL's.
 */
export async function followDebitsAfterDeletion(now = new Date()): Promise<void> {
  for (const {
    stripeChargeId,
    stripeCustomerId,
    createdAt,
    userId,
  } of await findDebitsAfterDeletion()) {
    const isOld = now.getTime() - createdAt.getTime() > FORGET_AFTER_MS;
    try {
      const { status } = await withCallPurpose("background", () =>
        stripeClient().charges.retrieve(stripeChargeId),
      );
      if (status === "pending" && !isOld) continue;
      await getDatabase().db.transaction(async (tx) => {
        if (!(await deleteDebitAfterDeletion(stripeChargeId, tx))) return;
        // the deletion was given up if an account still has the customer
        if (status !== "succeeded" || userId !== null) return;
        const chargeId = stripeChargeId;
        await notifyAuthor({ ...GONE, stripeCustomerId, chargeId }, tx);
      });
      wakeMailWorker();
    } catch (error) {
      if (isOld) await deleteDebitAfterDeletion(stripeChargeId);
      log().error({ charge: stripeChargeId, err: error }, "a debit could not be looked up");
    }
  }
}
