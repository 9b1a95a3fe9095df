import { z } from "zod";
import { addEndpoint, retryPending } from "../engine/deliveries";
import { API_VERSION } from "../engine/sandbox";
import { DEFAULT_WEBHOOK_POLICY } from "../engine/state";
import { action, type ControlAction, count, flag, noInput } from "./action";

/** The control actions for webhook endpoints, events and deliveries. */
export const webhookActions: ControlAction[] = [
  action(
    "POST",
    "endpoints",
    z.object({
      url: z.url({ protocol: /^https?$/ }),
      events: z.array(z.string()).min(1).default(["*"]),
      apiVersion: z.string().nullable().default(API_VERSION),
    }),
    ({ sandbox }, { url, events, apiVersion }) =>
      addEndpoint(sandbox, { url, enabled_events: events, api_version: apiVersion }),
  ),
  action("GET", "deliveries", noInput, ({ sandbox }) => ({
    deliveries: [...sandbox.state.deliveries.values()].map((delivery) => ({
      ...delivery,
      type: sandbox.state.events.get(delivery.eventId)?.type ?? null,
    })),
  })),
  action(
    "POST",
    "webhooks",
    z.object({
      mode: z.enum(["deliver", "hold", "drop"]).optional(),
      duplicates: count.max(20).optional(),
    }),
    ({ sandbox }, change) => {
      sandbox.state.webhookPolicy = { ...sandbox.state.webhookPolicy, ...change };
      return sandbox.state.webhookPolicy;
    },
  ),
  action("POST", "webhooks/reset", noInput, ({ sandbox }) => {
    sandbox.state.webhookPolicy = { ...DEFAULT_WEBHOOK_POLICY };
    return sandbox.state.webhookPolicy;
  }),
  action(
    "POST",
    "webhooks/release",
    z.object({
      order: z.enum(["arrival", "reverse", "random", "together"]).default("arrival"),
      count: count.optional(),
    }),
    async ({ dispatcher }, { order, count: most }) => ({
      released: await dispatcher.release(order, most),
    }),
  ),
  action("POST", "webhooks/retry", noInput, ({ sandbox }) => ({
    retried: retryPending(sandbox),
  })),
  action(
    "POST",
    "webhooks/settle",
    z.object({
      timeoutMs: count.max(120_000).default(10_000),
      retries: flag.default(false),
    }),
    async ({ dispatcher }, { timeoutMs, retries }) => ({
      settled: await dispatcher.settled(timeoutMs, retries),
      backlog: dispatcher.backlog,
    }),
  ),
];
