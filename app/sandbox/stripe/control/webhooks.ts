import { z } from "zod";
import { discardHeld, resendEvent, retryPending } from "../engine/deliveries";
import { API_VERSION } from "../engine/sandbox";
import { DEFAULT_WEBHOOK_POLICY } from "../engine/state";
import { addEndpoint } from "../engine/webhook-endpoints";
import { action, type ControlAction } from "./action";
import { ControlError } from "./error";
import { count, flag, noInput } from "./targets";

/** The control actions for webhook endpoints, events and deliveries. */
export const webhookActions: ControlAction[] = [
  action(
    "POST",
    "/_control/endpoints",
    z.object({
      url: z.url({ protocol: /^https?$/ }),
      events: z.array(z.string()).min(1).default(["*"]),
      apiVersion: z.string().nullable().default(API_VERSION),
    }),
    ({ sandbox }, _id, { url, events, apiVersion }) =>
      addEndpoint(sandbox, { url, enabled_events: events, api_version: apiVersion }),
  ),
  action("GET", "/_control/deliveries", noInput, ({ sandbox }) => ({
    deliveries: [...sandbox.state.deliveries.values()].map((delivery) => ({
      ...delivery,
      type: sandbox.state.events.get(delivery.eventId)?.type ?? null,
    })),
  })),
  action(
    "POST",
    "/_control/webhooks",
    z.object({
      mode: z.enum(["deliver", "hold", "drop"]).optional(),
      dropNext: count.optional(),
      delayMs: count.optional(),
      jitterMs: count.optional(),
      duplicates: count.max(20).optional(),
    }),
    ({ sandbox }, _id, change) => {
      sandbox.state.webhookPolicy = { ...sandbox.state.webhookPolicy, ...change };
      return sandbox.state.webhookPolicy;
    },
  ),
  action("POST", "/_control/webhooks/reset", noInput, ({ sandbox }) => {
    sandbox.state.webhookPolicy = { ...DEFAULT_WEBHOOK_POLICY };
    return sandbox.state.webhookPolicy;
  }),
  action(
    "POST",
    "/_control/webhooks/release",
    z.object({
      order: z.enum(["arrival", "reverse", "random", "together"]).default("arrival"),
      count: count.optional(),
    }),
    async ({ dispatcher }, _id, { order, count: most }) => ({
      released: await dispatcher.release(order, most),
    }),
  ),
  action("POST", "/_control/webhooks/discard", noInput, ({ sandbox }) => ({
    discarded: discardHeld(sandbox),
  })),
  action("POST", "/_control/webhooks/retry", noInput, ({ sandbox }) => ({
    retried: retryPending(sandbox),
  })),
  action(
    "POST",
    "/_control/webhooks/settle",
    z.object({
      timeoutMs: count.max(120_000).default(10_000),
      retries: flag.default(false),
    }),
    async ({ dispatcher }, _id, { timeoutMs, retries }) => ({
      settled: await dispatcher.settled(timeoutMs, retries),
      backlog: dispatcher.backlog,
    }),
  ),
  action(
    "POST",
    "/_control/events/:id/send",
    z.object({ times: z.coerce.number().int().min(1).max(500).default(1) }),
    ({ sandbox }, id, { times }) => {
      const event = sandbox.state.events.get(id);
      if (!event) throw new ControlError(404, `There is no event ${id}.`);
      return { deliveries: resendEvent(sandbox, event, times) };
    },
  ),
];
