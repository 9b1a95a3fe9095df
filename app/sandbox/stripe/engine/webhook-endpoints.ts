import type Stripe from "stripe";
import { newId } from "./ids";
import type { Sandbox } from "./sandbox";
import type { WebhookEndpoint, Wire } from "./wire";

/** Creates a webhook endpoint. */
export function addEndpoint(
  sandbox: Sandbox,
  draft: Pick<WebhookEndpoint, "url" | "enabled_events"> & Partial<WebhookEndpoint>,
): WebhookEndpoint {
  const added: WebhookEndpoint = {
    id: newId("we"),
    object: "webhook_endpoint",
    api_version: null,
    application: null,
    created: sandbox.now(),
    description: null,
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
