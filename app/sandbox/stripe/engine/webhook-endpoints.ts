import type Stripe from "stripe";
import { newId } from "./ids";
import type { Sandbox } from "./sandbox";
import { nulls, type WebhookEndpoint, type Wire } from "./wire";

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
