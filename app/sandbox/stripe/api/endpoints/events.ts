import type Stripe from "stripe";
import { invalidRequest } from "../../engine/api-error";
import type { Sandbox } from "../../engine/sandbox";
import type { Event } from "../../engine/wire";
import { type Endpoint, endpoint } from "../endpoint";
import { paginate } from "../pagination";
import { boolean, list, type ParametersOf, paging, text, timestampFilter } from "../parameters";

const RETENTION_SECONDS = 30 * 86_400;

const eventList = {
  ...paging,
  created: timestampFilter(),
  delivery_success: boolean(),
  type: text(100),
  types: list(text(100), 20),
} satisfies ParametersOf<Stripe.EventListParams>;

/** Whether an event matches a type filter, such as `invoice.paid` or `customer.*`. */
function isOfType(event: Event, wanted: string): boolean {
  return wanted.endsWith("*") ? event.type.startsWith(wanted.slice(0, -1)) : event.type === wanted;
}

/** Stripe lists events of the last 30 days only (docs.stripe.com/api/events). */
function isRetained(sandbox: Sandbox, event: Event): boolean {
  return event.created >= sandbox.now() - RETENTION_SECONDS;
}

export const eventEndpoints: Endpoint[] = [
  endpoint("GET", "/v1/events", eventList, (call) => {
    const { created, delivery_success, type, types } = call.values;
    if (type !== undefined && types !== undefined) {
      throw invalidRequest("You may only specify one of these parameters: type, types.");
    }
    const wanted = type === undefined ? types : [type];
    return paginate(
      call,
      "event",
      call.sandbox.state.events.values(),
      (event) =>
        isRetained(call.sandbox, event) &&
        (wanted === undefined || wanted.some((name) => isOfType(event, name))) &&
        (delivery_success === undefined || (event.pending_webhooks === 0) === delivery_success) &&
        (created?.(event.created) ?? true),
    );
  }),
];
