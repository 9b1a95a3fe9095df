import type Stripe from "stripe";
import { log } from "~/observability/log.server";
import { stripeClient } from "./stripe-client.server";
import { type HandledEvent, isHandledEvent, processOnce, WEBHOOK_EVENTS } from "./webhook.server";

/** Maximum types per list call (https://docs.stripe.com/api/events/list#list_events-types). */
const MAX_TYPES = 20;

/** How long Stripe retries a delivery (https://docs.stripe.com/webhooks#automatic-retries). */
const RETRIED_FOR_SECONDS = 72 * 60 * 60;

/** Maximum events that one run processes and reads; the next run continues. */
const MAX_EVENTS = { processed: 500, read: 10_000 };

/**
 * Yields the events of this site's types that Stripe could not deliver to some endpoint of the account, not
 * necessarily this site's. `created` is a range of Unix seconds. Throws Stripe's errors.
 */
export async function* undeliveredEvents(
  created: Stripe.RangeQueryParam,
): AsyncGenerator<HandledEvent> {
  for (let at = 0; at < WEBHOOK_EVENTS.length; at += MAX_TYPES) {
    const types = WEBHOOK_EVENTS.slice(at, at + MAX_TYPES);
    const listed = stripeClient().events.list({
      delivery_success: false,
      types,
      created,
      limit: 100,
    });
    for await (const event of listed) {
      if (isHandledEvent(event)) yield event;
    }
  }
}

/**
 * Processes events Stripe could not deliver, as it recommends
 * (https://docs.stripe.com/webhooks/process-undelivered-events). A webhook outage then delays them only by minutes.
 * Resolves to the number processed. Stripe keeps listing processed events, newest first, so they count only towards
 * the maximum read. Ends early once `stopping` is aborted. Throws Stripe's errors; only logs an event that fails.
 */
export async function processUndeliveredEvents(
  now = new Date(),
  max = MAX_EVENTS,
  stopping?: AbortSignal,
): Promise<number> {
  const since = Math.floor(now.getTime() / 1_000) - RETRIED_FOR_SECONDS;
  let read = 0;
  let tried = 0;
  let processed = 0;
  for await (const event of undeliveredEvents({ gte: since })) {
    if (++read > max.read || tried === max.processed || stopping?.aborted) break;
    try {
      const isNew = await processOnce(event, "background");
      if (!isNew) continue;
      tried++;
      processed++;
    } catch (error) {
      tried++;
      log().error({ event: event.id, type: event.type, err: error }, "an undelivered event failed");
    }
  }
  if (processed > 0) {
    log().warn(
      { worked: processed },
      "processed events that Stripe could not deliver: 'stripe doctor' says why",
    );
  }
  return processed;
}
