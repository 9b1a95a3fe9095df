import type Stripe from "stripe";
import { log } from "~/observability/log.server";
import { stripeClient } from "./stripe-client.server";
import { type HandledEvent, isHandledEvent, processOnce, WEBHOOK_EVENTS } from "./webhook.server";

/** Types that Stripe lists at once (https://docs.stripe.com/api/events/list#list_events-types). */
const MAX_TYPES = 20;

/** Stripe itself delivers an event again for three days (https://docs.stripe.com/webhooks#automatic-retries). */
const RETRIED_FOR_SECONDS = 72 * 60 * 60;

/** Events that one run processes at most, and that it reads at most; the rest is left to the next run. */
const MOST = { worked: 500, read: 10_000 };

/**
 * The events of this site's types, made between two moments in seconds since 1970, that Stripe could not
 * deliver to some endpoint of the account, not necessarily this site's. Throws what Stripe throws.
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
 * Works the events that Stripe could not deliver, as it advises
 * (https://docs.stripe.com/webhooks/process-undelivered-events), so that an hour without webhooks costs
 * minutes. Gives how many there were to work. Stripe goes on listing those that were worked here, the newest
 * first, so they don't count towards the most that one run processes. It ends early when `stopping` says so. Throws
 * what Stripe throws; an event that fails is only logged.
 */
export async function processUndeliveredEvents(
  now = new Date(),
  most = MOST,
  stopping?: AbortSignal,
): Promise<number> {
  const since = Math.floor(now.getTime() / 1_000) - RETRIED_FOR_SECONDS;
  let read = 0;
  let tried = 0;
  let worked = 0;
  for await (const event of undeliveredEvents({ gte: since })) {
    if (++read > most.read || tried === most.worked || stopping?.aborted) break;
    try {
      const isNew = await processOnce(event);
      if (!isNew) continue;
      tried++;
      worked++;
    } catch (error) {
      tried++;
      log().error({ event: event.id, type: event.type, err: error }, "an undelivered event failed");
    }
  }
  if (worked > 0) {
    log().warn(
      { worked },
      "events that Stripe could not deliver were processed all the same: 'stripe doctor' says why",
    );
  }
  return worked;
}
