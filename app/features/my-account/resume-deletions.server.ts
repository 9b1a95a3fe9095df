import { withCallPurpose } from "~/features/billing/call-purpose.server";
import { customerState } from "~/features/billing/customer-billing.server";
import { log } from "~/observability/log.server";
import { startTimedWork } from "~/observability/timed-work.server";
import { isWithin } from "~db/clock";
import { abandonAccountDeletion, findUnfinishedDeletions } from "~db/queries/account-deletions";
import { deleteRows } from "./delete-account.server";

const MINUTE_MS = 60_000;

/** Delay of the first run, in milliseconds. It resumes deletions interrupted by a shutdown. */
const FIRST_RUN_MS = 5_000;

/** Deletions younger than this may still be running in some process, in milliseconds. */
const IN_PROGRESS_MS = 2 * MINUTE_MS;

/** After this time, a customer deletion has taken effect at Stripe or never will, in milliseconds. */
const SETTLED_MS = 10 * MINUTE_MS;

/** Maximum deletions per run. */
const BATCH = 100;

/**
 * Finishes deletions that were interrupted or got no response from Stripe. Deletes an account whose customer is
 * deleted or that has none. After ten minutes, keeps an account whose customer still exists or is unknown to Stripe,
 * as with another account's key. Throws PostgreSQL's errors; logs Stripe's, and the next call retries. Starts no further deletion once `stopping` is aborted.
 */
export async function resumeAccountDeletions(
  now = new Date(),
  stopping?: AbortSignal,
): Promise<void> {
  const begunBefore = new Date(now.getTime() - IN_PROGRESS_MS);
  for (const deletion of await findUnfinishedDeletions(begunBefore, BATCH)) {
    if (stopping?.aborted) return;
    const { userId, startedAt, stripeCustomerId } = deletion;
    try {
      const isDeleted =
        stripeCustomerId === null ||
        (await withCallPurpose("background", () => customerState(stripeCustomerId))) === "deleted";
      if (isDeleted) {
        await deleteRows(userId, stripeCustomerId);
      } else if (!isWithin(startedAt, SETTLED_MS, now)) {
        await abandonAccountDeletion(userId);
        log().warn(
          { userId },
          "an account was not deleted, because Stripe did not delete its customer",
        );
      }
    } catch (error) {
      log().error({ err: error, userId }, "the deletion of an account could not be resumed");
    }
  }
}

/**
 * Resumes deletions after 5 seconds and then every minute, in one instance at a time. The returned function stops
 * this and waits for a running deletion.
 */
export function startResumingDeletions(): () => Promise<void> {
  return startTimedWork("account deletions", {
    work: (stopping) => resumeAccountDeletions(new Date(), stopping),
    firstMs: FIRST_RUN_MS,
    everyMs: MINUTE_MS,
    failure: "deletions of accounts could not be resumed",
  });
}
