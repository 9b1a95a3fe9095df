import { withCallPurpose } from "~/features/billing/call-purpose.server";
import { customerState } from "~/features/billing/customer-billing.server";
import { log } from "~/observability/log.server";
import { startTimedWork } from "~/observability/timed-work.server";
import { abandonAccountDeletion, findUnfinishedDeletions } from "~db/queries/account-deletions";
import { deleteRows } from "./delete-account.server";

const MINUTE_MS = 60_000;

/** Delay of the first run, in milliseconds, for what was interrupted when the site went down. */
const FIRST_RUN_MS = 5_000;

/** A deletion that began less than this ago may still be in progress in some process, in milliseconds. */
const IN_PROGRESS_MS = 2 * MINUTE_MS;

/** After this a request to delete a customer has taken effect at Stripe or never will, in milliseconds. */
const SETTLED_MS = 10 * MINUTE_MS;

/** Deletions examined at a time. */
const BATCH = 100;

/**
 * Brings deletions to an end that were interrupted, or that Stripe did not answer: an account whose customer is
 * deleted, or that has none, is deleted; one whose customer is still there after ten minutes stays as it was. Throws
 * PostgreSQL's errors; Stripe's are logged, and the next call tries again. Once `stopping`, no further one is begun.
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
      const isThere =
        stripeCustomerId !== null &&
        (await withCallPurpose("background", () => customerState(stripeCustomerId))) === "there";
      if (!isThere) {
        await deleteRows(userId, stripeCustomerId);
      } else if (now.getTime() - startedAt.getTime() > SETTLED_MS) {
        await abandonAccountDeletion(userId);
        log().warn({ userId }, "an account was not deleted, because Stripe did not answer in time");
      }
    } catch (error) {
      log().error({ err: error, userId }, "the deletion of an account could not be resumed");
    }
  }
}

/**
 * Resumes deletions soon, and then every minute, until the returned function is called, which waits for one in progress.
 * One instance does at a time.
 */
export function startResumingDeletions(): () => Promise<void> {
  return startTimedWork("account deletions", {
    work: (stopping) => resumeAccountDeletions(new Date(), stopping),
    firstMs: FIRST_RUN_MS,
    everyMs: MINUTE_MS,
    failure: "deletions of accounts could not be resumed",
  });
}
