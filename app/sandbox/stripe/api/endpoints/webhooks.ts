import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type Stripe from "stripe";
import { invalidParameter, invalidRequest } from "../../engine/api-error";
import { addEndpoint } from "../../engine/deliveries";
import { requireObject } from "../../engine/objects";
import type { WebhookEndpoint, Wire } from "../../engine/wire";
import { changeObject, type Endpoint, endpoint, given, listOf, retrieve } from "../endpoint";
import {
  boolean,
  checked,
  emptyable,
  list,
  metadata,
  type ParametersOf,
  required,
  text,
  timestampFilter,
  url,
} from "../parameters";

const MAX_ENDPOINTS = 16;
const RETENTION_SECONDS = 30 * 86_400;

/**
 * A URL that Stripe could reach: not on this machine or a private network. Plain http is allowed in test mode. The
 * message is Stripe's, as quoted in github.com/dj-stripe/dj-stripe/pull/1891; 0.0.0.0 is accepted there too.
 */
const publicUrl = checked(url(), (address, name) => {
  const host = new URL(address).hostname.replace(/^\[|\]$/g, "");
  const isPublic = isIP(host)
    ? ["unicast", "unspecified"].includes(ipaddr.process(host).range())
    : !/(^|\.)(localhost|local|internal)$/.test(host);
  if (!isPublic) {
    throw invalidParameter(
      name,
      "Invalid URL: URL must be publicly accessible. Consider using a tool like the Stripe CLI to test webhooks locally.",
      "url_invalid",
    );
  }
});

const eventName = checked(text(100), (type, name) => {
  if (/^(\*|[a-z_]+(\.[a-z_]+)+)$/.test(type)) return;
  throw invalidParameter(name, `Invalid ${name}: must be the name of an event or *`);
});

const apiVersion = checked(text(40), (version, name) => {
  if (/^\d{4}-\d{2}-\d{2}(\.[a-z]+)?$/.test(version)) return;
  throw invalidParameter(name, `Invalid API version: ${version}`);
});

const endpointCreate = {
  enabled_events: required(list(eventName, 300)),
  url: required(publicUrl),
  api_version: apiVersion,
  description: emptyable(text()),
  metadata: metadata(),
} satisfies ParametersOf<Stripe.WebhookEndpointCreateParams>;

const endpointUpdate = {
  description: emptyable(text()),
  disabled: boolean(),
  enabled_events: list(eventName, 300),
  metadata: metadata(),
  url: publicUrl,
} satisfies ParametersOf<Stripe.WebhookEndpointUpdateParams>;

const eventParameters = {
  delivery_success: boolean(),
  type: text(100),
  types: list(text(100), 20),
} satisfies ParametersOf<Stripe.EventListParams>;

/** Omits a webhook endpoint's secret, which Stripe shows only on creation. */
function withoutSecret({ secret: _secret, ...shown }: WebhookEndpoint): WebhookEndpoint {
  return shown;
}

/** Events, and the endpoints that receive them. */
export const webhookEndpoints: Endpoint[] = [
  // of the last 30 days only (docs.stripe.com/api/events)
  listOf("/v1/events", "events", {
    filters: { created: timestampFilter() },
    parameters: eventParameters,
    matches: (event, { delivery_success, type, types }, sandbox) => {
      if (type !== undefined && types !== undefined) {
        throw invalidRequest("You may only specify one of these parameters: type, types.");
      }
      const wanted = type === undefined ? types : [type];
      return (
        event.created >= sandbox.now() - RETENTION_SECONDS &&
        (wanted === undefined || wanted.some((name) => isOfType(event.type, name))) &&
        (delivery_success === undefined || (event.pending_webhooks === 0) === delivery_success)
      );
    },
  }),

  endpoint("POST", "/v1/webhook_endpoints", endpointCreate, ({ sandbox, values }) => {
    if (sandbox.state.webhookEndpoints.size >= MAX_ENDPOINTS) {
      throw invalidRequest(
        `You have reached the maximum of ${MAX_ENDPOINTS} test webhook endpoints.`,
      );
    }
    return addEndpoint(sandbox, given(values));
  }),
  listOf("/v1/webhook_endpoints", "webhookEndpoints", { shown: withoutSecret }),
  retrieve("/v1/webhook_endpoints/:id", "webhookEndpoints", withoutSecret),
  endpoint("POST", "/v1/webhook_endpoints/:id", endpointUpdate, ({ sandbox, id, values }) => {
    const found = requireObject(sandbox, "webhookEndpoints", id);
    if (values.disabled !== undefined) found.status = values.disabled ? "disabled" : "enabled";
    changeObject(sandbox, found, null, values);
    return withoutSecret(found);
  }),
  endpoint("DELETE", "/v1/webhook_endpoints/:id", {}, ({ sandbox, id }) => {
    sandbox.state.webhookEndpoints.delete(requireObject(sandbox, "webhookEndpoints", id).id);
    sandbox.changed();
    return {
      id,
      object: "webhook_endpoint",
      deleted: true,
    } satisfies Wire<Stripe.DeletedWebhookEndpoint>;
  }),
];

/** Whether an event's type matches a filter, such as `invoice.paid` or `customer.*`. */
function isOfType(type: string, wanted: string): boolean {
  return wanted.endsWith("*") ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}
