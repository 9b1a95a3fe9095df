import type Stripe from "stripe";
import { log } from "~/observability/log.server";
import { isWithin } from "~db/clock";
import { addToSignal, findSignals } from "~db/queries/operator-signals";
import { makeCustomersDue } from "~db/queries/profiles";
import { findLastWebhookEvents } from "~db/queries/webhook-events";
import { stripeClient } from "./stripe-client.server";
import {
  customerOf,
  type HandledEvent,
  isHandledEvent,
  processOnce,
  WEBHOOK_EVENTS,
} from "./webhook.server";

/** Maximum types per list call (https://docs.stripe.com/api/events/list#list_events-types). */
const MAX_TYPES = 20;

const HOUR_MS = 60 * 60_000;

/** How long Stripe retries a delivery (https://docs.stripe.com/webhooks#automatic-retries), in milliseconds. */
const RETRIED_FOR_MS = 72 * HOUR_MS;

/** How long Stripe lists events (https://docs.stripe.com/api/events), in milliseconds. */
const LISTED_FOR_MS = 30 * 24 * HOUR_MS;

/** After this long without a reading, Stripe or the site was down, in milliseconds. The timer reads every 5 minutes. */
const OUTAGE_MS = HOUR_MS;

/** The signal whose time is that of the last complete reading of events. */
const EVENTS_READ = "stripe-events-read";

/** Customers made due by one statement. */
const BATCH = 500;

/** Maximum events that one run processes and reads; the next run continues. */
const MAX_EVENTS = { processed: 500, read: 10_000 };

/**
 * Yields the events of this site's types that Stripe could not deliver to some endpoint of the account, not
 * necessarily this site's. `created` is a range of Unix seconds. Throws Stripe's errors.
 */
export function undeliveredEvents(created: Stripe.RangeQueryParam): AsyncGenerator<HandledEvent> {
  return listEvents({ created, delivery_success: false });
}

async function* listEvents(query: Stripe.EventListParams): AsyncGenerator<HandledEvent> {
  for (let at = 0; at < WEBHOOK_EVENTS.length; at += MAX_TYPES) {
    const types = WEBHOOK_EVENTS.slice(at, at + MAX_TYPES);
    const listed = stripeClient().events.list({ ...query, types, limit: 100 });
    for await (const event of listed) {
      if (isHandledEvent(event)) yield event;
    }
  }
}

/**
 * Processes events Stripe could not deliver, as it recommends
 * (https://docs.stripe.com/webhooks/process-undelivered-events). A webhook outage then delays them only by minutes.
 * After an outage, first makes every customer due whom an event since then names. Resolves to the number processed.
 * Stripe keeps listing processed events, newest first, so they count only toward the maximum read. Ends early once
 * `stopping` is aborted. Throws Stripe's errors; only logs an event that fails.
 */
export async function processUndeliveredEvents(
  now = new Date(),
  max = MAX_EVENTS,
  stopping?: AbortSignal,
): Promise<number> {
  const since = now.getTime() - RETRIED_FOR_MS;
  const lastRead = await findLastReading(now);
  if (lastRead && now.getTime() - lastRead.getTime() > OUTAGE_MS) {
    await makeNamedCustomersDue(Math.max(lastRead.getTime(), now.getTime() - LISTED_FOR_MS), now);
  }
  let read = 0;
  let tried = 0;
  let processed = 0;
  for await (const event of undeliveredEvents({ gte: unixSeconds(since) })) {
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
  if (!stopping?.aborted) await addToSignal(EVENTS_READ, 1);
  if (processed > 0) {
    log().warn(
      { worked: processed },
      "processed events that Stripe could not deliver: 'stripe doctor' says why",
    );
  }
  return processed;
}

/** When events were last read to the end. If that is not noted, or in the future, the time of the last in the ledger. */
async function findLastReading(now: Date): Promise<Date | undefined> {
  const [signal] = await findSignals([EVENTS_READ]);
  const isNoted = isWithin(signal?.lastAt ?? null, Number.POSITIVE_INFINITY, now);
  return isNoted ? signal?.lastAt : (await findLastWebhookEvents(1))[0]?.occurredAt;
}

/**
 * Makes every customer due whom an event since `since` names, delivered or not: Stripe tries none for longer than three
 * days, and a disabled endpoint gets none. Both times are in milliseconds since 1970.
 */
async function makeNamedCustomersDue(since: number, now: Date): Promise<void> {
  const named = new Set<string>();
  for await (const event of listEvents({ created: { gte: unixSeconds(since) } })) {
    const customer = await customerOf(event);
    if (customer !== null) named.add(customer);
  }
  const customers = [...named];
  for (let at = 0; at < customers.length; at += BATCH) {
    await makeCustomersDue(customers.slice(at, at + BATCH), now);
  }
  log().warn(
    { since: new Date(since), customers: customers.length },
    "events were not read for a while: the customers they name are synced",
  );
}

const unixSeconds = (milliseconds: number) => Math.floor(milliseconds / 1_000);
