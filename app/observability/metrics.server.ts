import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Counter, collectDefaultMetrics, Gauge, Histogram, register } from "prom-client";
import { env } from "~/env.server";
import { getDatabase, hasDatabase } from "~db/client";
import { readQueueLength } from "~db/queries/mail-history";

/** Everything that `/metrics` exports. */
export const registry = register;

// a test runner's process loads this module again for each file
register.clear();
collectDefaultMetrics();

const requests = new Histogram({
  name: "http_request_duration_seconds",
  help: "Time to answer a request that was not answered from memory",
  labelNames: ["method", "route", "status"],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

const queries = new Histogram({
  name: "database_query_duration_seconds",
  help: "Duration of a statement by the pool that ran it: the site's own, or the mail worker's",
  labelNames: ["outcome", "pool"],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
});

/** Syncs of a customer by their outcome: synced, stale, unknown or failed. */
export const billingSyncs = new Counter({
  name: "billing_syncs_total",
  help: "Syncs of a customer's billing state with Stripe",
  labelNames: ["outcome"],
});

/** Webhook deliveries by their outcome: processed, duplicate, ignored, refused or failed. */
export const webhooks = new Counter({
  name: "stripe_webhooks_total",
  help: "Webhook deliveries from Stripe by outcome",
  labelNames: ["outcome"],
});

/** Calls to Stripe; "limited" was rejected by Stripe's rate limit, "refused" by our own budget. */
export const stripeCalls = new Counter({
  name: "stripe_calls_total",
  help: "Calls to Stripe by purpose and outcome; refused ones were never sent",
  labelNames: ["purpose", "outcome"],
});

/** Attempts that a rate limit rejected, by what they were counted by. */
export const rateLimited = new Counter({
  name: "rate_limited_total",
  help: "Attempts rejected by a rate limit",
  labelNames: ["limited", "by"],
});

/** Connections that were closed because their client is broken, slow or hostile. */
export const rejectedClients = new Counter({
  name: "http_clients_rejected_total",
  help: "Connections closed because the request was malformed, too large or too slow",
  labelNames: ["status"],
});

/** Connections that were closed because their network had too many. */
export const closedConnections = new Counter({
  name: "http_connections_closed_total",
  help: "Connections closed because their network had too many",
});

/** Mails that this worker took up, by their outcome. */
export const mails = new Counter({
  name: "mails_total",
  help: "Attempts to deliver a mail by lane and outcome",
  labelNames: ["lane", "outcome"],
});

/** Whether the mail worker waits for the mail server, as 1 or 0. */
export const mailCircuit = new Gauge({
  name: "mail_circuit_open",
  help: "1 while this process's mail worker waits for the mail server, else 0",
});

const longestWait = new Gauge({
  name: "mail_longest_wait_seconds",
  help: "How long the transactional mail that has been due longest has waited",
});

const lastBackupTime = new Gauge({
  name: "backup_last_success_timestamp_seconds",
  help: "When the newest backup was made, of BACKUP_DIR and the bucket the one that is behind; 0 while that has none",
});

const lastBackupBytes = new Gauge({
  name: "backup_last_size_bytes",
  help: "The size of that backup",
});

/** Attempts to make a backup that failed. */
export const failedBackups = new Counter({
  name: "backup_failures_total",
  help: "Attempts of the timer to make a backup that failed",
});

const openAlerts = new Gauge({
  name: "operator_matters_open",
  help: "Open alerts that the operator was notified of, by kind",
  labelNames: ["kind"],
});

new Gauge({
  name: "mails_queued",
  help: "Mails in the queue of all instances, by lane",
  labelNames: ["lane"],
  async collect() {
    if (!hasDatabase()) return;
    // a database that is down must not fail the scrape
    const queue = await readQueueLength().catch(() => null);
    if (!queue) return;
    this.set({ lane: "transactional" }, queue.transactional);
    this.set({ lane: "campaign" }, queue.campaign);
    longestWait.set(queue.longestWaitS);
  },
});

new Gauge({
  name: "database_connections",
  help: "Connections of the pool",
  labelNames: ["state"],
  collect() {
    if (!hasDatabase()) return;
    for (const [state, count] of Object.entries(getDatabase().statistics())) {
      this.set({ state }, count);
    }
  },
});

/** The status in logs and metrics of a response whose client disconnected first, as in nginx. */
const CLIENT_WENT_AWAY = 499;

/** The status a request was answered with, or 499 if its client disconnected first. */
export function statusOf({ statusCode, writableFinished }: ServerResponse): number {
  return writableFinished ? statusCode : CLIENT_WENT_AWAY;
}

/** Counts a finished request and its duration in seconds, under the name its route declares. */
export function countRequest(
  { method = "GET" }: IncomingMessage,
  response: ServerResponse,
  route = "other",
  seconds: number,
): void {
  requests.observe({ method, route, status: statusOf(response) }, seconds);
}

/** Exports a number in `/metrics`, read at each scrape. */
export function exposeGauge(name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    collect() {
      this.set(read());
    },
  });
}

/** Returns a callback that counts a pool's statements with their durations. */
export function queryCounter(pool: "site" | "mail") {
  return (milliseconds: number, failed: boolean): void => {
    queries.observe({ outcome: failed ? "failed" : "done", pool }, milliseconds / 1000);
  };
}

/** Exports when the newest backup was made, null if there is none, and its size. */
export function setLastBackup(time: Date | null, bytes: number): void {
  lastBackupTime.set((time?.getTime() ?? 0) / 1000);
  lastBackupBytes.set(bytes);
}

/** Exports the open alerts by kind. */
export function setOpenAlerts(kinds: readonly string[]): void {
  openAlerts.reset();
  for (const kind of kinds) openAlerts.inc({ kind });
}

/** Whether a request may read the metrics; null when no token is set and the page does not exist. */
export function mayReadMetrics(request: Request): boolean | null {
  const token = env().METRICS_TOKEN;
  if (!token) return null;
  const given = Buffer.from(request.headers.get("Authorization") ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
