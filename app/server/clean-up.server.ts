import { endCommunityAccess } from "~/features/community/discourse-api.server";
import { utcDay } from "~/features/statistics/utc-day";
import { startTimedWork } from "~/observability/timed-work.server";
import { deleteFailedContent } from "~db/queries/failed-mails";
import { deleteOldMails } from "~db/queries/mail-history";
import { deleteDeadMailWorkers } from "~db/queries/mail-workers";
import { deleteUnusedNewsletterImages } from "~db/queries/newsletter-images";
import { deleteOldRows } from "~db/queries/old-rows";
import { deleteUnconfirmedSubscribers } from "~db/queries/subscribers";
import { countFinishedDays } from "~db/queries/visitors";
import { deleteOldWebhookEvents } from "~db/queries/webhook-events";

const HOUR_MS = 60 * 60 * 1000;

/** How long an unconfirmed newsletter address is stored. */
const UNCONFIRMED_LIFE_MS = 30 * 24 * HOUR_MS;

/**
 * How long a processed webhook event is stored. Its id is needed for as long as Stripe may redeliver it: 3
 * days automatically, 30 manually (https://docs.stripe.com/webhooks#automatic-retries,
 * https://docs.stripe.com/webhooks/process-undelivered-events).
 */
const WEBHOOK_EVENT_LIFE_MS = 90 * 24 * HOUR_MS;

/** How long images are stored for an issue that was only tried with `newsletter test`. */
const UNUSED_IMAGE_LIFE_MS = 30 * 24 * HOUR_MS;

/** Rows deleted per statement, and statements per clean-up; the rest is left to the next one. */
const BATCH = 1_000;
const BATCHES = 100;

/**
 * Deletes expired rows (`deleteOldRows`), unconfirmed newsletter addresses, webhook events that can no longer be
 * redelivered, mails and mail workers long finished, what failed mails said, and images of issues that were never sent.
 * Turns the hashes of a finished day's visitors into numbers, and ends former members' access to the community, until
 * `stopping`.
 */
export async function cleanUp(now = new Date(), stopping?: AbortSignal): Promise<void> {
  await deleteOldRows(now);
  await deleteUnconfirmedSubscribers(new Date(now.getTime() - UNCONFIRMED_LIFE_MS));
  const receivedBefore = new Date(now.getTime() - WEBHOOK_EVENT_LIFE_MS);
  await inBatches(() => deleteOldWebhookEvents(receivedBefore, BATCH));
  await inBatches(() => deleteOldMails(BATCH));
  await deleteFailedContent();
  await deleteDeadMailWorkers();
  await deleteUnusedNewsletterImages(new Date(now.getTime() - UNUSED_IMAGE_LIFE_MS));
  // an hour after the day, when no instance has visits of it left to record
  await countFinishedDays(utcDay(new Date(now.getTime() - HOUR_MS)));
  // last, because an unresponsive community takes long
  await endCommunityAccess(now, stopping);
}

async function inBatches(deleteBatch: () => Promise<number>): Promise<void> {
  for (let batch = 0; batch < BATCHES; batch++) {
    if ((await deleteBatch()) < BATCH) return;
  }
}

/**
 * Cleans up every hour, on one instance at a time. The returned function stops it and waits for a clean-up in progress.
 */
export function startCleanUp(): () => Promise<void> {
  return startTimedWork("clean-up", {
    work: (stopping) => cleanUp(new Date(), stopping),
    firstMs: HOUR_MS,
    everyMs: HOUR_MS,
    failure: "the clean-up failed; it will be retried in an hour",
  });
}
