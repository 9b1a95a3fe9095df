import { deleteCustomer } from "~/features/billing/delete-customer.server";
import { forgetInCommunity } from "~/features/community/discourse-api.server";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import { renderMailOnce } from "~/features/mail/render-mail";
import { accountDeletedMail } from "~/features/mail/templates/account-mails";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { getDatabase } from "~db/client";
import {
  abandonAccountDeletion,
  beginAccountDeletion,
  deleteAccountRows,
  lockAccount,
} from "~db/queries/account-deletions";
import { findProfile } from "~db/queries/profiles";

/** The outcome of deleting an account. */
export type AccountDeletionOutcome =
  /** The account is gone, deleted now or earlier. */
  | { kind: "deleted" }
  /** Nothing is deleted, because Stripe could not end the membership; `message` says so. */
  | { kind: "stripe-failed"; message: string }
  | { kind: "failed" };

/** Maximum attempts, if another checkout creates a new customer meanwhile. */
const MAX_ATTEMPTS = 3;

/**
 * Deletes an account. First deletes its Stripe customer with any subscription, then every row and queues the farewell
 * mail, in one transaction. If Stripe refuses, nothing changes. If the outcome at Stripe is in doubt, or the process is
 * killed, `resumeAccountDeletions` finishes or abandons the deletion. Safe to call concurrently. Never throws.
 */
export async function deleteAccount(userId: string): Promise<AccountDeletionOutcome> {
  try {
    if (!(await beginAccountDeletion(userId))) return { kind: "deleted" };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const customer = (await findProfile(userId))?.stripeCustomerId ?? null;
      if (customer !== null) {
        const { kind } = await deleteCustomer(customer);
        if (kind === "refused") await abandonAccountDeletion(userId);
        if (kind !== "deleted") return { kind: "stripe-failed", message: STRIPE_MESSAGES[kind] };
      }
      if (await deleteRows(userId, customer)) return { kind: "deleted" };
    }
    return { kind: "failed" };
  } catch (error) {
    log().error({ err: error, userId }, "an account could not be deleted");
    return { kind: "failed" };
  }
}

const STRIPE_MESSAGES = {
  refused:
    "Your membership could not be ended at Stripe, so nothing was deleted. Please try again.",
  "in-doubt":
    "Stripe does not answer, so your account is still there. Please try again in a few minutes.",
};

/**
 * Deletes an account's rows after its Stripe customer is deleted. Returns false and writes nothing if the account has
 * another customer by now.
 */
export async function deleteRows(userId: string, deletedCustomer: string | null): Promise<boolean> {
  const message = await renderMailOnce("account-deleted", accountDeletedMail);
  const isGone = await getDatabase().db.transaction(async (tx) => {
    const account = await lockAccount(userId, tx);
    if (!account) return true;
    if (account.stripeCustomerId !== deletedCustomer) return false;
    await deleteAccountRows({ userId, email: account.email }, tx);
    await enqueueMail({ kind: "account-deleted", to: account.email, message }, tx);
    return true;
  });
  if (!isGone) return false;
  logSecurityEvent("account-deleted", { userId }, "account deleted");
  wakeMailWorker();
  // in the background, since the deletion must not wait for another site
  void forgetInCommunity(userId);
  return true;
}
