import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type Stripe from "stripe";
import { invalidParameter, invalidRequest, resourceMissing } from "../../engine/api-error";
import type { Sandbox } from "../../engine/sandbox";
import { addEndpoint } from "../../engine/webhook-endpoints";
import type { WebhookEndpoint, Wire } from "../../engine/wire";
import { type Endpoint, endpoint } from "../endpoint";
import { paginate } from "../pagination";
import {
  boolean,
  changeMetadata,
  emptyable,
  expand,
  list,
  metadata,
  onlyExpand,
  type ParametersOf,
  paging,
  required,
  text,
  unsupported,
  url,
} from "../parameters";

const MAX_ENDPOINTS = 16;

/** A webhook endpoint without its secret, which Stripe shows only when it is created. */
function withoutSecret({ secret: _secret, ...shown }: WebhookEndpoint): WebhookEndpoint {
  return shown;
}

function requireEndpoint(sandbox: Sandbox, id: string): WebhookEndpoint {
  const found = sandbox.state.webhookEndpoints.get(id);
  if (!found) throw resourceMissing("webhook endpoint", id);
  return found;
}

/**
 * An address that Stripe could reach: not on this machine or a private network. Plain http is allowed in
 * test mode. The message is Stripe's, as quoted in github.com/dj-stripe/dj-stripe/pull/1891, and 0.0.0.0
 * passes there too.
 */
function checkedUrl(address: string): string {
  const name = new URL(address).hostname.replace(/^\[|\]$/g, "");
  const isPublic = isIP(name)
    ? ["unicast", "unspecified"].includes(ipaddr.process(name).range())
    : !/(^|\.)(localhost|local|internal)$/.test(name);
  if (!isPublic) {
    throw invalidParameter(
      "url",
      "Invalid URL: URL must be publicly accessible. Consider using a tool like the Stripe CLI to test webhooks locally.",
      "url_invalid",
    );
  }
  return address;
}

const enabledEvents = list(text(100), 300);

function checkedEvents(events: string[]): string[] {
  const wrong = events.findIndex((type) => !/^(\*|[a-z_]+(\.[a-z_]+)+)$/.test(type));
  if (wrong !== -1) {
    throw invalidParameter(
      `enabled_events[${wrong}]`,
      `Invalid enabled_events[${wrong}]: must be the name of an event or *`,
    );
  }
  return events;
}

function checkedVersion(version: string | undefined): string | null {
  if (version !== undefined && !/^\d{4}-\d{2}-\d{2}(\.[a-z]+)?$/.test(version)) {
    throw invalidParameter("api_version", `Invalid API version: ${version}`);
  }
  return version ?? null;
}

const endpointCreate = {
  enabled_events: required(enabledEvents),
  url: required(url()),
  api_version: text(40),
  description: emptyable(text()),
  expand,
  metadata: metadata(),
  ...unsupported("connect"),
} satisfies ParametersOf<Stripe.WebhookEndpointCreateParams>;

const endpointUpdate = {
  description: emptyable(text()),
  disabled: boolean(),
  enabled_events: enabledEvents,
  expand,
  metadata: metadata(),
  url: url(),
} satisfies ParametersOf<Stripe.WebhookEndpointUpdateParams>;

const endpointList = { ...paging } satisfies ParametersOf<Stripe.WebhookEndpointListParams>;

export const webhookEndpointEndpoints: Endpoint[] = [
  endpoint("POST", "/v1/webhook_endpoints", endpointCreate, ({ sandbox, values }) => {
    if (sandbox.state.webhookEndpoints.size >= MAX_ENDPOINTS) {
      throw invalidRequest(
        `You have reached the maximum of ${MAX_ENDPOINTS} test webhook endpoints.`,
      );
    }
    return addEndpoint(sandbox, {
      url: checkedUrl(values.url),
      enabled_events: checkedEvents(values.enabled_events),
      api_version: checkedVersion(values.api_version),
      description: values.description ?? null,
      metadata: changeMetadata({}, values.metadata),
    });
  }),
  endpoint("GET", "/v1/webhook_endpoints", endpointList, (call) => {
    const found = paginate(call, "webhook endpoint", call.sandbox.state.webhookEndpoints.values());
    return { ...found, data: found.data.map(withoutSecret) };
  }),
  endpoint("GET", "/v1/webhook_endpoints/:id", onlyExpand, ({ sandbox, id }) =>
    withoutSecret(requireEndpoint(sandbox, id)),
  ),
  endpoint("POST", "/v1/webhook_endpoints/:id", endpointUpdate, ({ sandbox, id, values }) => {
    const found = requireEndpoint(sandbox, id);
    const url = values.url === undefined ? undefined : checkedUrl(values.url);
    if (values.enabled_events) found.enabled_events = checkedEvents(values.enabled_events);
    if (values.description !== undefined) found.description = values.description;
    if (values.disabled !== undefined) found.status = values.disabled ? "disabled" : "enabled";
    found.url = url ?? found.url;
    found.metadata = changeMetadata(found.metadata, values.metadata);
    sandbox.changed();
    return withoutSecret(found);
  }),
  endpoint("DELETE", "/v1/webhook_endpoints/:id", {}, ({ sandbox, id }) => {
    sandbox.state.webhookEndpoints.delete(requireEndpoint(sandbox, id).id);
    sandbox.changed();
    return {
      id,
      object: "webhook_endpoint",
      deleted: true,
    } satisfies Wire<Stripe.DeletedWebhookEndpoint>;
  }),
];
