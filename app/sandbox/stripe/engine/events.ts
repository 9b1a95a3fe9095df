import { enqueueDeliveries, isUnderway } from "./deliveries";
import { API_VERSION, type Sandbox } from "./sandbox";
import { type Event, type EventObject, type EventType, newId } from "./wire";

const MAX_EVENTS = 1_000;

/**
 * Records an event with a snapshot of an object and queues it for the subscribed endpoints. The object is
 * type-checked against stripe-node's type for the event.
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

/** Updates a stored object and emits the event, unless nothing has changed. */
export function update<Type extends EventType, Kept extends object & EventObject<Type>>(
  sandbox: Sandbox,
  type: Type,
  object: Kept,
  values: Partial<Kept>,
): void {
  const before = structuredClone(object);
  Object.assign(object, values);
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

type Json = Record<string, unknown>;

/**
 * Returns an update event's `previous_attributes`: the former values of what changed, with only the changed keys of
 * nested objects, and lists as a whole. Null if nothing has changed.
 */
function previousAttributes(before: object, after: object): object | null {
  const changes: Json = {};
  const old = before as Json;
  const current = after as Json;
  for (const key of new Set([...Object.keys(old), ...Object.keys(current)])) {
    const [was, is] = [old[key], current[key]];
    if (JSON.stringify(was) === JSON.stringify(is)) continue;
    const inner = isPlain(was) && isPlain(is) ? previousAttributes(was, is) : null;
    changes[key] = inner ?? was ?? null;
  }
  return Object.keys(changes).length === 0 ? null : changes;
}

function isPlain(value: unknown): value is Json {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    (value as Json).object !== "list"
  );
}
