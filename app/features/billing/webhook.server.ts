import type Stripe from "stripe";
import { isLiveKey } from "~/environment/stripe-key";
import { log } from "~/observability/log.server";
import { countWebhook } from "~/observability/metrics.server";
import { getDatabase } from "~db/client";
import { hasWebhookEvent, insertWebhookEvent } from "~db/queries/webhook-events";
import { callingFor } from "./call-purpose.server";
import { idOf } from "./coverage";
import { requireStripe, stripeClient } from "./stripe-client.server";
import { afterWriting, lookAtCustomer, writeLook } from "./sync-customer.server";
import { refuseWebhook } from "./webhook-refusals.server";

/** The events the webhook endpoint is registered for, and acts on. */
export const WEBHOOK_EVENTS = [
  "checkout.session.completed",
  "checkout.session.async_payment_succeeded",
  "checkout.session.async_payment_failed",
  "checkout.session.expired",
  "customer.subscription.created",
  "customer.subscription.updated",
  "customer.subscription.deleted",
  "customer.subscription.paused",
  "customer.subscription.resumed",
  "invoice.paid",
  "invoice.payment_failed",
  "invoice.payment_action_required",
  "invoice.marked_uncollectible",
  "invoice.voided",
  "customer.updated",
  "customer.deleted",
  "charge.refunded",
  "refund.failed",
  "charge.dispute.created",
  "charge.dispute.updated",
  "charge.dispute.closed",
] as const satisfies Stripe.WebhookEndpointCreateParams.EnabledEvent[];

/** The answer to a delivery: anything but a 2xx makes Stripe deliver it again later. */
export type WebhookAnswer = { status: 200 | 400 | 500; message: string };

/** Takes one delivery of Stripe's, from a client's network if it is known. */
export async function receiveWebhook(
  rawBody: string,
  signature: string | null,
  network: string | null = null,
): Promise<WebhookAnswer> {
  const event = verifiedEvent(rawBody, signature);
  if (!event) {
    refuseWebhook(signature ? "wrong signature" : "no signature", { network });
    return { status: 400, message: "The signature does not fit." };
  }
  const facts = { event: event.id, type: event.type };
  if (event.livemode !== isLiveKey(requireStripe().secretKey)) {
    refuseWebhook("livemode mismatch", { network, ...facts, livemode: event.livemode });
    return { status: 400, message: "Livemode mismatch: the event is of the other mode." };
  }
  if (!WEBHOOK_EVENTS.some((type) => type === event.type)) {
    countWebhook("ignored");
    log().debug(facts, "webhook of a type that needs nothing");
    return { status: 200, message: "Nothing to do." };
  }

  try {
    const isNew = await callingFor("webhook", () => workOnce(event));
    countWebhook(isNew ? "worked" : "duplicate");
    log().info(facts, isNew ? "webhook processed" : "webhook already processed");
    return { status: 200, message: isNew ? "Done." : "Done before." };
  } catch (error) {
    countWebhook("failed");
    log().error({ ...facts, err: error }, "webhook failed; Stripe will send it again");
    return { status: 500, message: "The work failed; please send it again." };
  }
}

/**
 * Works an event; false when the ledger holds it already. Its id enters the ledger in the same transaction
 * as what the work writes, so failed work leaves no entry and is delivered again, and done work is not done
 * twice. The event's content is only believed as far as the customer's name: the state is asked of Stripe
 * anew. Throws what Stripe and PostgreSQL throw.
 */
export async function workOnce(event: Stripe.Event): Promise<boolean> {
  if (await hasWebhookEvent(event.id)) return false;
  const customer = await customerOf(event);
  const look = customer === null ? null : await lookAtCustomer(customer);
  const done = await getDatabase().db.transaction(async (tx) => {
    const isNew = await insertWebhookEvent(
      {
        id: event.id,
        type: event.type,
        apiVersion: event.api_version,
        stripeCustomerId: customer,
        occurredAt: new Date(event.created * 1000),
      },
      tx,
    );
    return isNew && { written: look && (await writeLook(look, tx)) };
  });
  if (done && look) afterWriting(look, done.written);
  return done !== false;
}

/** The event, if any of our secrets signed it within Stripe's default tolerance of 300 s; else null. */
function verifiedEvent(rawBody: string, signature: string | null): Stripe.Event | null {
  if (!signature) return null;
  for (const secret of requireStripe().webhookSecrets) {
    try {
      return stripeClient().webhooks.constructEvent(rawBody, signature, secret);
    } catch {
      // the next secret may fit: during a roll of secrets two are valid
    }
  }
  return null;
}

/** The customer an event is about: disputes and refunds name only their charge, so the charge is asked for. */
async function customerOf(event: Stripe.Event): Promise<string | null> {
  const object = event.data.object as {
    object: string;
    id: string;
    customer?: unknown;
    charge?: unknown;
  };
  if (object.object === "customer") return object.id;
  const customer = idOf(object.customer);
  const charge = idOf(object.charge);
  if (customer !== null || charge === null) return customer;
  return idOf((await stripeClient().charges.retrieve(charge)).customer);
}
