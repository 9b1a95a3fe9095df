import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { env } from "~/env.server";
import { getDatabase, hasDatabase } from "~db/client";

/** Everything `/metrics` tells. */
export const registry = new Registry();
collectDefaultMetrics({ register: registry });

const requests = new Histogram({
  name: "http_request_duration_seconds",
  help: "Time to answer a request that was not answered from memory",
  labelNames: ["method", "route", "status"],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [registry],
});

const queries = new Histogram({
  name: "database_query_duration_seconds",
  help: "Time a statement took",
  labelNames: ["outcome"],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
  registers: [registry],
});

const syncs = new Counter({
  name: "billing_syncs_total",
  help: "Syncs of a customer's billing state with Stripe",
  labelNames: ["outcome"],
  registers: [registry],
});

const webhooks = new Counter({
  name: "stripe_webhooks_total",
  help: "Deliveries of Stripe by outcome",
  labelNames: ["outcome"],
  registers: [registry],
});

const stripeCalls = new Counter({
  name: "stripe_calls_total",
  help: "Calls to Stripe by what they were made for and how they ended; refused ones were never sent",
  labelNames: ["purpose", "outcome"],
  registers: [registry],
});

const rateLimited = new Counter({
  name: "rate_limited_total",
  help: "Attempts refused by a rate limit",
  labelNames: ["limited", "by"],
  registers: [registry],
});

const rejectedClients = new Counter({
  name: "http_clients_rejected_total",
  help: "Connections closed because what came over them was no HTTP, too long or too slow",
  labelNames: ["status"],
  registers: [registry],
});

const closedConnections = new Counter({
  name: "http_connections_closed_total",
  help: "Connections of the largest networks closed to make room for others",
  registers: [registry],
});

new Gauge({
  name: "database_connections",
  help: "Connections of the pool",
  labelNames: ["state"],
  registers: [registry],
  collect() {
    if (!hasDatabase()) return;
    for (const [state, count] of Object.entries(getDatabase().statistics())) {
      this.set({ state }, count);
    }
  },
});

/** What logs and metrics call the status of an answer that nobody waited for, as nginx does. */
const CLIENT_WENT_AWAY = 499;

/** The status a request was answered with, or 499 if its client went away before. */
export function statusOf({ statusCode, writableFinished }: ServerResponse): number {
  return writableFinished ? statusCode : CLIENT_WENT_AWAY;
}

/** Counts a request that is over and the seconds it took, under the name that its route has declared. */
export function countRequest(
  { method = "GET" }: IncomingMessage,
  response: ServerResponse,
  route = "other",
  seconds: number,
): void {
  requests.observe({ method, route, status: statusOf(response) }, seconds);
}

/** Events by name, each with how often it happened since the start; their owner counts on. */
type Statistics = Readonly<Record<string, number>>;

/** Makes the figures of what is sent from memory part of `/metrics`; such a request costs nothing more. */
export function exposeCaches(pages: Statistics, files: Statistics): void {
  exposeEvents("page_cache_total", "What the cache of anonymous pages did since the start", pages);
  exposeEvents("static_files_total", "How files were asked for since the start", files);
}

function exposeEvents(name: string, help: string, statistics: Statistics): void {
  new Gauge({
    name,
    help,
    labelNames: ["event"],
    registers: [registry],
    collect() {
      for (const [event, count] of Object.entries(statistics)) this.set({ event }, count);
    },
  });
}

/** Makes the number of connected clients part of `/metrics`. */
export function exposeConnections(connections: () => number): void {
  new Gauge({
    name: "http_connections",
    help: "Clients connected, with a request under way or without",
    registers: [registry],
    collect() {
      this.set(connections());
    },
  });
}

/** Makes the password queue's length part of `/metrics`. */
export function exposeHashQueue(length: () => number): void {
  new Gauge({
    name: "password_hash_queue_length",
    help: "Password hashes under way or waiting",
    registers: [registry],
    collect() {
      this.set(length());
    },
  });
}

/** Makes the number of calls to Stripe that wait for their turn part of `/metrics`. */
export function exposeStripeQueue(length: () => number): void {
  new Gauge({
    name: "stripe_call_queue_length",
    help: "Calls to Stripe waiting for their turn",
    registers: [registry],
    collect() {
      this.set(length());
    },
  });
}

/** Counts a statement; given to the database pool. */
export function countQuery(milliseconds: number, failed: boolean): void {
  queries.observe({ outcome: failed ? "failed" : "done" }, milliseconds / 1000);
}

/** Counts an attempt that a rate limit refused, by what it was counted by. */
export function countRateLimited(limited: string, by: string): void {
  rateLimited.inc({ limited, by });
}

/** Counts a connection that was closed because its client is broken, slow or hostile. */
export function countRejectedClient(status: number): void {
  rejectedClients.inc({ status });
}

/** Counts a connection that was closed to make room for another. */
export function countClosedConnection(): void {
  closedConnections.inc();
}

/** Counts a sync of a customer by how it ended. */
export function countSync(outcome: "synced" | "stale" | "unknown" | "failed"): void {
  syncs.inc({ outcome });
}

/** Counts a call to Stripe; "limited" is Stripe's own refusal, "refused" that of our budget. */
export function countStripeCall(
  purpose: string,
  outcome: "answered" | "failed" | "limited" | "refused",
): void {
  stripeCalls.inc({ purpose, outcome });
}

/** Counts a delivery of Stripe's by what was done with it. */
export function countWebhook(
  outcome: "processed" | "duplicate" | "ignored" | "refused" | "failed",
): void {
  webhooks.inc({ outcome });
}

/** Whether a request may read the metrics; null when there is no token and so no such page. */
export function mayReadMetrics(request: Request): boolean | null {
  const token = env().METRICS_TOKEN;
  if (!token) return null;
  const given = Buffer.from(request.headers.get("Authorization") ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
