import { log } from "~/server/log.server";
import { stripeClient } from "./stripe-client.server";
import { WEBHOOK_EVENTS, workOnce } from "./webhook.server";

const HOUR_SECONDS = 60 * 60;

/** Stripe itself delivers an event again for three days (https://docs.stripe.com/webhooks#automatic-retries). */
const RETRIED_FOR = 72 * HOUR_SECONDS;

/** Events that one look works at most, the newest first; the rest is left to Stripe and the rows' own looks. */
const MOST_EVENTS = 500;

/**
 * Works the events that Stripe could not deliver, as it advises
 * (https://docs.stripe.com/webhooks/process-undelivered-events), so that an hour without webhooks costs
 * minutes. Gives how many there were to work. Throws what Stripe throws; an event that fails is only logged.
 */
export async function workUndeliveredEvents(now = new Date()): Promise<number> {
  const undelivered = stripeClient().events.list({
    delivery_success: false,
    types: [...WEBHOOK_EVENTS],
    created: { gte: Math.floor(now.getTime() / 1_000) - RETRIED_FOR },
    limit: 100,
  });
  let looked = 0;
  let worked = 0;
  for await (const event of undelivered) {
    if (++looked > MOST_EVENTS) break;
    try {
      if (await workOnce(event)) worked++;
    } catch (error) {
      log().error({ event: event.id, type: event.type, err: error }, "an undelivered event failed");
    }
  }
  if (worked > 0) {
    log().warn(
      { worked },
      "events that Stripe could not deliver were worked all the same: 'stripe doctor' says why",
    );
  }
  return worked;
}
