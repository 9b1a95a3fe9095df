import { deleteCustomer } from "~/features/billing/delete-customer.server";
import { forgetInCommunity } from "~/features/community/discourse-api.server";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import { renderMail } from "~/features/mail/render-mail";
import { accountDeletedMail } from "~/features/mail/templates/account-mails";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { db } from "~db/client";
import {
  abandonAccountDeletion,
  beginAccountDeletion,
  deleteAccountRows,
  lockAccount,
} from "~db/queries/account-deletions";
import { findDebitsAfterDeletion } from "~db/queries/debits-after-deletion";
import { findProfile } from "~db/queries/profiles";
import type { Profile } from "~db/schema";

/** The outcome of deleting an account. */
export type AccountDeletionOutcome =
  /** The account is gone, deleted now or earlier; `left` is a customer that remains at Stripe. */
  | { kind: "deleted"; left?: string }
  /** Nothing is deleted, because Stripe could not end the membership; `message` says so. */
  | { kind: "stripe-failed"; message: string }
  | { kind: "failed" };

/** Maximum attempts, if another checkout creates a new customer meanwhile. */
const MAX_ATTEMPTS = 3;

/**
 * Deletes an account. First deletes its Stripe customer with any subscription, then every row and queues the farewell
 * mail, in one transaction. If Stripe refuses, nothing changes, unless the account never had a subscription or the
 * operator wants it `anyway`. If the outcome at Stripe is in doubt, or the process is killed, `resumeAccountDeletions`
 * finishes or abandons the deletion. Safe to call concurrently. Never throws.
 */
export async function deleteAccount(
  userId: string,
  { anyway = false }: { anyway?: boolean } = {},
): Promise<AccountDeletionOutcome> {
  try {
    if (!(await beginAccountDeletion(userId))) return { kind: "deleted" };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const profile = await findProfile(userId);
      const customer = profile?.stripeCustomerId ?? null;
      const { kind } = customer === null ? DELETED : await deleteCustomer(customer);
      const hadNothing = profile !== null && neverSubscribed(profile);
      if (kind !== "deleted" && !hadNothing && !anyway) {
        if (kind === "refused") await abandonAccountDeletion(userId);
        return { kind: "stripe-failed", message: STRIPE_MESSAGES[kind] };
      }
      const isLeft = kind !== "deleted" && !hadNothing;
      if (!(await deleteRows(userId, customer, isLeft ? "subscription" : "nothing"))) continue;
      if (kind === "deleted" || customer === null) return DELETED;
      log().warn(
        { stripeCustomerId: customer },
        "the customer of a deleted account is still at Stripe",
      );
      return { ...DELETED, left: customer };
    }
    return { kind: "failed" };
  } catch (error) {
    log().error({ err: error, userId }, "an account could not be deleted");
    return { kind: "failed" };
  }
}

/** Says what a deletion had to leave at Stripe, and what has to be done there. */
export function describeLeftCustomer(customer: string, profile: Profile | null): string {
  const subscription = profile?.stripeSubscriptionId;
  const what = subscription
    ? ` with the subscription ${subscription}, which may still be charged`
    : "";
  return `Stripe did not delete the customer ${customer}${what}: delete it in Stripe's dashboard.`;
}

const DELETED = { kind: "deleted" } as const;

/**
 * Returns whether an account certainly never had a subscription: a sync has shown none since its last checkout could be
 * paid, and so left nothing due.
 */
function neverSubscribed({ stripeSubscriptionId, syncDueAt }: Profile): boolean {
  return stripeSubscriptionId === null && syncDueAt === null;
}

const STRIPE_MESSAGES = {
  refused: "Your membership couldn’t be ended at Stripe, so nothing was deleted. Please try again.",
  "in-doubt": "Stripe isn’t responding, so nothing was deleted. Please try again in a few minutes.",
};

/**
 * Deletes an account's rows after its Stripe customer is deleted, or must be left. Returns false and writes nothing if
 * the account has another customer by now.
 */
export async function deleteRows(
  userId: string,
  customer: string | null,
  left: "nothing" | "subscription" = "nothing",
): Promise<boolean> {
  const debits = customer === null ? [] : await findDebitsAfterDeletion(customer);
  const membership = left === "nothing" && debits.length > 0 ? "debit" : left;
  const message = await renderMail(accountDeletedMail({ membership }));
  const isGone = await db().transaction(async (tx) => {
    const account = await lockAccount(userId, tx);
    if (!account) return true;
    if (account.stripeCustomerId !== customer) return false;
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
