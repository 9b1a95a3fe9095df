import { enqueueDeliveries, isUnderway } from "./deliveries";
import { newId } from "./ids";
import { previousAttributes } from "./previous-attributes";
import { API_VERSION, type Sandbox } from "./sandbox";
import type { Event, EventObject, EventType } from "./wire";

const MAX_EVENTS = 1_000;

/**
 * Records an event with a snapshot of an object and queues it for the subscribed endpoints. The object
 * is type-checked against stripe-node's type for the event.
 */
export function emit<Type extends EventType>(
  sandbox: Sandbox,
  type: Type,
  object: EventObject<Type>,
  previous: object | null = null,
): void {
  const event = {
    id: newId("evt"),
    object: "event",
    api_version: API_VERSION,
    created: sandbox.now(),
    data: {
      object: structuredClone(object) as object,
      ...(previous === null ? {} : { previous_attributes: previous }),
    },
    livemode: false,
    pending_webhooks: 0,
    request: {
      id: sandbox.cause?.requestId ?? null,
      idempotency_key: sandbox.cause?.idempotencyKey ?? null,
    },
    type,
  } satisfies Event;
  sandbox.state.events.set(event.id, event);
  enqueueDeliveries(sandbox, event);
  dropOldEvents(sandbox);
  sandbox.changed();
}

/** Changes a stored object and emits the event, unless nothing has changed. */
export function update<Type extends EventType, Kept extends object & EventObject<Type>>(
  sandbox: Sandbox,
  type: Type,
  object: Kept,
  change: (object: Kept) => void,
): void {
  const before = structuredClone(object);
  change(object);
  const previous = previousAttributes(before, object);
  if (previous !== null) emit(sandbox, type, object, previous);
}

function dropOldEvents(sandbox: Sandbox): void {
  const { events, deliveries } = sandbox.state;
  if (events.size < MAX_EVENTS * 1.1) return;
  const needed = new Set(
    [...deliveries.values()].filter(isUnderway).map((delivery) => delivery.eventId),
  );
  for (const id of events.keys()) {
    if (events.size <= MAX_EVENTS) break;
    if (!needed.has(id)) events.delete(id);
  }
  for (const delivery of deliveries.values()) {
    if (!events.has(delivery.eventId)) deliveries.delete(delivery.id);
  }
}
