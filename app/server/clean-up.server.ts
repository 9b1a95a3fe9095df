import { log } from "~/observability/log.server";
import { deleteExpiredPasswordResets } from "~db/queries/password-resets";
import { deleteExpiredRateLimits } from "~db/queries/rate-limits";
import { deleteExpiredSessions } from "~db/queries/sessions";
import { deleteUnconfirmedSubscribers } from "~db/queries/subscribers";
import { deleteOldWebhookEvents } from "~db/queries/webhook-events";

const HOUR_MS = 60 * 60 * 1000;

/** An address nobody confirmed is forgotten after this long. */
const UNCONFIRMED_LIFE_MS = 30 * 24 * HOUR_MS;

/**
 * A worked webhook event is forgotten after this long. Its id is needed for as long as Stripe may
 * deliver it again: 3 days by itself, 30 by hand (https://docs.stripe.com/webhooks#automatic-retries,
 * https://docs.stripe.com/webhooks/process-undelivered-events).
 */
const WEBHOOK_EVENT_LIFE_MS = 90 * 24 * HOUR_MS;

/** Webhook events removed by one statement, and the most statements of one clean-up; the rest waits an hour. */
const WEBHOOK_EVENT_BATCH = 1_000;
const WEBHOOK_EVENT_BATCHES = 100;

/**
 * Removes what is over: ended sessions, unused password resets, counts that start anew, addresses
 * nobody confirmed, webhook events that will not come again.
 */
export async function cleanUp(now = new Date()): Promise<void> {
  await deleteExpiredSessions(now);
  await deleteExpiredPasswordResets(now);
  await deleteExpiredRateLimits(now);
  await deleteUnconfirmedSubscribers(new Date(now.getTime() - UNCONFIRMED_LIFE_MS));
  await cleanUpWebhookEvents(new Date(now.getTime() - WEBHOOK_EVENT_LIFE_MS));
}

async function cleanUpWebhookEvents(before: Date): Promise<void> {
  for (let batch = 0; batch < WEBHOOK_EVENT_BATCHES; batch++) {
    const removed = await deleteOldWebhookEvents(before, WEBHOOK_EVENT_BATCH);
    if (removed < WEBHOOK_EVENT_BATCH) return;
  }
}

/** Cleans up every hour until the returned function is called. */
export function startCleanUp(): () => Promise<void> {
  let round: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    round = cleanUp().catch((error: unknown) =>
      log().error({ err: error }, "the clean-up failed; it is tried again in an hour"),
    );
  }, HOUR_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await round;
  };
}
