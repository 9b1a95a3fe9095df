import type Stripe from "stripe";
import type { Sandbox } from "./sandbox";
import type { Delivery } from "./state";
import { type Event, newId, nulls, type WebhookEndpoint, type Wire } from "./wire";

/** Whether a delivery has yet to be made. */
export function isUnderway(delivery: Delivery): boolean {
  return delivery.state === "pending" || delivery.state === "held";
}

const STATE_OF_NEW = { deliver: "pending", hold: "held", drop: "dropped" } as const;

/** Queues an event for every endpoint subscribed to its type, according to the webhook policy. */
export function enqueueDeliveries(sandbox: Sandbox, event: Event): void {
  const policy = sandbox.state.webhookPolicy;
  for (const endpoint of sandbox.state.webhookEndpoints.values()) {
    if (!isSubscribedTo(endpoint, event)) continue;
    for (let copy = 0; copy <= policy.duplicates; copy += 1) {
      const delivery: Delivery = {
        id: newId("whd"),
        eventId: event.id,
        endpointId: endpoint.id,
        attempts: [],
        state: STATE_OF_NEW[policy.mode],
        nextAttemptAt: Date.now(),
      };
      sandbox.state.deliveries.set(delivery.id, delivery);
      countPending(sandbox, event);
    }
  }
}

function isSubscribedTo(endpoint: WebhookEndpoint, event: Event): boolean {
  return (
    endpoint.status === "enabled" &&
    endpoint.enabled_events.some((type) => type === "*" || type === event.type)
  );
}

/**
 * Updates `pending_webhooks`, the number of endpoints that an event has not reached. Failed and dropped deliveries
 * count too, because `delivery_success=false` lists them (docs.stripe.com/api/events/list).
 */
export function countPending(sandbox: Sandbox, event: Event): void {
  const reached = new Map<string, boolean>();
  for (const { eventId, endpointId, state } of sandbox.state.deliveries.values()) {
    if (eventId !== event.id) continue;
    reached.set(endpointId, state === "delivered" || reached.get(endpointId) === true);
  }
  event.pending_webhooks = [...reached.values()].filter((isReached) => !isReached).length;
}

export type ReleaseOrder = "arrival" | "reverse" | "random" | "together";

/** Makes held deliveries pending, at most `count`. Returns them in the given order. */
export function releaseHeld(
  sandbox: Sandbox,
  order: ReleaseOrder,
  count = Number.POSITIVE_INFINITY,
): Delivery[] {
  const all = [...sandbox.state.deliveries.values()].filter(({ state }) => state === "held");
  if (order === "reverse") all.reverse();
  if (order === "random") shuffle(all);
  const held = all.slice(0, count);
  for (const delivery of held) {
    delivery.state = "pending";
    delivery.nextAttemptAt = Date.now();
  }
  return held;
}

/** Makes every pending delivery due now. Returns their number. */
export function retryPending(sandbox: Sandbox): number {
  const pending = [...sandbox.state.deliveries.values()].filter(({ state }) => state === "pending");
  for (const delivery of pending) delivery.nextAttemptAt = Date.now();
  sandbox.changed();
  return pending.length;
}

function shuffle(items: unknown[]): void {
  for (let index = items.length - 1; index > 0; index -= 1) {
    const other = Math.floor(Math.random() * (index + 1));
    [items[index], items[other]] = [items[other], items[index]];
  }
}

/** Creates a webhook endpoint. */
export function addEndpoint(
  sandbox: Sandbox,
  draft: Pick<WebhookEndpoint, "url" | "enabled_events"> & Partial<WebhookEndpoint>,
): WebhookEndpoint {
  const added: WebhookEndpoint = {
    id: newId("we"),
    object: "webhook_endpoint",
    ...nulls("api_version application description"),
    created: sandbox.now(),
    livemode: false,
    metadata: {},
    secret: newId("whsec", 32),
    status: "enabled",
    ...draft,
  } satisfies Wire<Stripe.WebhookEndpoint>;
  sandbox.state.webhookEndpoints.set(added.id, added);
  sandbox.changed();
  return added;
}
