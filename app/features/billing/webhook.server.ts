import type Stripe from "stripe";
import { isLiveKey } from "~/environment/stripe-key";
import { log } from "~/observability/log.server";
import { webhooks } from "~/observability/metrics.server";
import {
  countAcceptedWebhook,
  countSignal,
  type Signal,
} from "~/observability/operator-signals.server";
import { logSecurityEventAtTimes } from "~/observability/security-log.server";
import { db } from "~db/client";
import {
  hasWebhookEvent,
  insertWebhookEvent,
  type NewWebhookEvent,
  recordUnlessOwned,
} from "~db/queries/webhook-events";
import { type CallPurpose, withCallPurpose } from "./call-purpose.server";
import { idOf } from "./coverage";
import { recordDispute } from "./dispute-alerts.server";
import { isMissingAtStripe, requireStripe, stripeClient } from "./stripe-client.server";
import { reportSync, takeSnapshot, writeSnapshot } from "./sync-customer.server";

type EventOf<Type extends Stripe.Event["type"]> = Extract<Stripe.Event, { type: Type }>;

type CustomerLookups = {
  [Type in Stripe.Event["type"]]?: (
    object: EventOf<Type>["data"]["object"],
  ) => string | null | Promise<string | null>;
};

/** The events the site handles, each with a function that finds its customer. The only list of them. */
const CUSTOMER_OF = {
  "checkout.session.completed": ofCustomer,
  "checkout.session.async_payment_succeeded": ofCustomer,
  "checkout.session.async_payment_failed": ofCustomer,
  "checkout.session.expired": ofCustomer,
  "customer.subscription.created": ofCustomer,
  "customer.subscription.updated": ofCustomer,
  "customer.subscription.deleted": ofCustomer,
  "customer.subscription.paused": ofCustomer,
  "customer.subscription.resumed": ofCustomer,
  "invoice.paid": ofCustomer,
  "invoice.payment_failed": ofCustomer,
  "invoice.payment_action_required": ofCustomer,
  "invoice.marked_uncollectible": ofCustomer,
  "invoice.voided": ofCustomer,
  "customer.updated": ({ id }) => id,
  "customer.deleted": ({ id }) => id,
  "charge.refunded": ofCustomer,
  "refund.failed": ofCharge,
  "charge.dispute.created": ofCharge,
  "charge.dispute.updated": ofCharge,
  "charge.dispute.closed": ofCharge,
} satisfies CustomerLookups;

/** An event of one of those types. */
export type HandledEvent = EventOf<keyof typeof CUSTOMER_OF>;

/** The event types the webhook endpoint is registered for. */
export const WEBHOOK_EVENTS = Object.keys(CUSTOMER_OF) as HandledEvent["type"][];

/** The response to a delivery. Stripe retries unless it is a 2xx. */
export type WebhookAnswer = { status: 200 | 400 | 500; message: string };

/** Handles a delivery from Stripe; `network` is the client's, if known. */
export async function receiveWebhook(
  rawBody: string,
  signature: string | null,
  network: string | null = null,
): Promise<WebhookAnswer> {
  const event = verifiedEvent(rawBody, signature);
  if (event === "thin") {
    webhooks.inc({ outcome: "ignored" });
    log().info(
      "ignored a thin event; Stripe must send snapshot events, as 'stripe setup' asks for",
    );
    return { status: 200, message: "Nothing to do." };
  }
  if (!event) {
    rejectWebhook(signature ? "wrong signature" : "no signature", { network });
    return { status: 400, message: "The signature does not fit." };
  }
  const facts = { event: event.id, type: event.type };
  if (event.livemode !== isLiveKey(requireStripe().secretKey)) {
    rejectWebhook("livemode mismatch", { network, ...facts, livemode: event.livemode });
    return { status: 400, message: "Livemode mismatch." };
  }
  if (!isHandledEvent(event)) {
    webhooks.inc({ outcome: "ignored" });
    countAcceptedWebhook();
    log().debug(facts, "webhook of an unhandled type");
    return { status: 200, message: "Nothing to do." };
  }

  try {
    const isNew = await processOnce(event, "webhook");
    webhooks.inc({ outcome: isNew ? "processed" : "duplicate" });
    log().info(facts, isNew ? "webhook processed" : "webhook already processed");
    return { status: 200, message: isNew ? "Done." : "Done before." };
  } catch (error) {
    webhooks.inc({ outcome: "failed" });
    log().error({ ...facts, err: error }, "webhook failed; Stripe will send it again");
    return { status: 500, message: "The work failed; please send it again." };
  } finally {
    // count it only now: another sync may notice the payment meanwhile
    countAcceptedWebhook();
  }
}

/**
 * Processes an event once, calling Stripe for `purpose`; returns false if the ledger already has it. One transaction
 * inserts its id and writes the changes. A failed event therefore leaves no entry and is delivered again. Takes only
 * the customer from the event; reads the state from Stripe. Throws Stripe's and PostgreSQL's errors.
 */
export async function processOnce(event: HandledEvent, purpose: CallPurpose): Promise<boolean> {
  const mayAskStripe = CUSTOMER_OF[event.type] === ofCharge;
  // a processed event needs no call for its customer
  if (mayAskStripe && (await hasWebhookEvent(event.id))) return false;
  const customer = await (mayAskStripe
    ? withCallPurpose(purpose, async () => customerOf(event))
    : customerOf(event));
  const received = {
    id: event.id,
    type: event.type,
    // a missing field counts as null
    apiVersion: event.api_version ?? null,
    stripeCustomerId: customer,
    occurredAt: new Date(event.created * 1000),
  };
  const state = await recordUnlessOwned(received);
  if (customer === null || state !== "pending") return state === "recorded";
  return withCallPurpose(purpose, () => syncOnce(event, received, customer));
}

/** Syncs a known customer and adds the event to the ledger; returns false if another process just did. */
async function syncOnce(
  event: HandledEvent,
  received: NewWebhookEvent,
  customer: string,
): Promise<boolean> {
  const readAt = new Date();
  const snapshot = await takeSnapshot(customer);
  if (!snapshot) return insertWebhookEvent(received);
  const dispute = isDisputeEvent(event) ? await readDispute(event) : null;
  const done = await db().transaction(async (tx) => {
    const isNew = await insertWebhookEvent(received, tx);
    if (isNew && dispute) await recordDispute(dispute, readAt, tx);
    return isNew && { written: await writeSnapshot(snapshot, tx) };
  });
  if (done) reportSync(snapshot, done.written);
  return done !== false;
}

type DisputeEvent = Extract<HandledEvent, { type: `charge.dispute.${string}` }>;

function isDisputeEvent(event: HandledEvent): event is DisputeEvent {
  return event.type.startsWith("charge.dispute.");
}

/** Reads a dispute's current state, since events arrive in any order; null if Stripe does not know it. */
async function readDispute({ data }: DisputeEvent): Promise<Stripe.Dispute | null> {
  const { id, charge } = data.object;
  try {
    const { data: disputes } = await stripeClient().disputes.list({
      charge: idOf(charge) ?? "",
      limit: 100,
    });
    return disputes.find((dispute) => dispute.id === id) ?? null;
  } catch (error) {
    if (isMissingAtStripe(error)) return null;
    throw error;
  }
}

/**
 * Returns the event if one of our secrets signed it within Stripe's default tolerance of 300 s; otherwise null. "thin"
 * is a signed event of another shape, which an event destination may send (https://docs.stripe.com/event-destinations).
 */
function verifiedEvent(rawBody: string, signature: string | null): Stripe.Event | "thin" | null {
  if (!signature) return null;
  for (const secret of requireStripe().webhookSecrets) {
    try {
      return stripeClient().webhooks.constructEvent(rawBody, signature, secret);
    } catch {
      if (isThinEvent(rawBody, signature, secret)) return "thin";
      // Another secret may match: two are valid while the secret is rotated.
    }
  }
  return null;
}

function isThinEvent(rawBody: string, signature: string, secret: string): boolean {
  try {
    return stripeClient().parseEventNotification(rawBody, signature, secret) !== null;
  } catch {
    return false;
  }
}

/** Returns whether the site handles events of this type. */
export function isHandledEvent(event: Stripe.Event): event is HandledEvent {
  return Object.hasOwn(CUSTOMER_OF, event.type);
}

/** Returns the customer an event is about; null if there is none. Asks Stripe for a dispute's. */
export function customerOf({ type, data }: HandledEvent): string | null | Promise<string | null> {
  // TypeScript cannot infer that the object matches the lookup's parameter.
  const lookup = CUSTOMER_OF[type] as (
    object: HandledEvent["data"]["object"],
  ) => ReturnType<typeof customerOf>;
  return lookup(data.object);
}

function ofCustomer({ customer }: { customer: string | { id: string } | null }): string | null {
  return idOf(customer);
}

/** Fetches the charge, since disputes contain only their charge and refunds may lack their customer. */
async function ofCharge(object: Stripe.Dispute | Stripe.Refund): Promise<string | null> {
  const customer = "customer" in object ? idOf(object.customer) : null;
  const charge = idOf(object.charge);
  if (customer !== null || charge === null) return customer;
  return idOf((await stripeClient().charges.retrieve(charge)).customer);
}

/** Why a delivery was rejected. */
type RejectionReason = "no signature" | "wrong signature" | "livemode mismatch";

/** Counts a rejected delivery and writes it to the security log, a flood of one reason in two lines per minute. */
export function rejectWebhook(reason: RejectionReason, facts: Record<string, unknown>): void {
  webhooks.inc({ outcome: "refused" });
  const signal = SIGNALS[reason];
  if (signal) countSignal(signal);
  logSecurityEventAtTimes("webhook-refused", { reason, ...facts }, MESSAGES[reason]);
}

/** Signals for the operator's alerts. Stripe signs everything, so unsigned deliveries come from somebody else. */
const SIGNALS: Record<RejectionReason, Signal | null> = {
  "no signature": null,
  "wrong signature": "webhook-refused",
  "livemode mismatch": "webhook-livemode-mismatch",
};

const MESSAGES: Record<RejectionReason, string> = {
  "no signature": "webhook rejected: it has no signature",
  "wrong signature":
    "webhook rejected: its signature is stale or made with a secret other than STRIPE_WEBHOOK_SECRET",
  "livemode mismatch":
    "webhook rejected: livemode mismatch (live event on a test key, or the reverse)",
};
