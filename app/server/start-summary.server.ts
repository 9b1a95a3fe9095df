import { join } from "node:path";
import type { Environment } from "~/env.server";
import { databaseHosts } from "~/environment/database-hosts.server";
import { isLiveKey } from "~/environment/stripe-key";
import { log } from "~/observability/log.server";
import { listeningHosts } from "./loopback.server";

/**
 * Logs the configuration after a start, one line per subject, identified by the field `summary`: address,
 * database, mail, payments, trusted proxies, missing settings; then a warning for each setting that may be a
 * mistake. Names hosts and modes, never a secret or an email address.
 */
export function logStartSummary(settings: Environment, port: number | null): void {
  for (const [summary, facts, text] of [
    address(settings, port),
    database(settings),
    mail(settings),
    payments(settings),
    trust(settings),
    missing(settings),
  ]) {
    log().info({ summary, ...facts }, `${summary}: ${text}`);
  }
  for (const warning of settings.WARNINGS) log().warn({ summary: "warning" }, warning);
}

type Line = [summary: string, facts: Record<string, unknown>, text: string];

function address({ PUBLIC_URL, PUBLIC_ALIASES, HOST }: Environment, port: number | null): Line {
  const listening =
    port === null
      ? ["the socket that was passed on"]
      : listeningHosts(HOST).map((host) => host ?? "all interfaces");
  const aliases = [...PUBLIC_ALIASES];
  const redirected = aliases.length > 0 ? `, redirecting ${aliases.join(", ")} there` : "";
  return [
    "address",
    { publicUrl: PUBLIC_URL, aliases, listening, port },
    `${PUBLIC_URL}${redirected}, listening on ${listening.join(" and ")}${port === null ? "" : `, port ${port}`}`,
  ];
}

function database({ DATABASE_URL, DATA_DIR }: Environment): Line {
  if (!DATABASE_URL) {
    return ["database", { kind: "embedded" }, `embedded PostgreSQL in ${DATA_DIR}`];
  }
  const host = databaseHosts(DATABASE_URL).join(", ");
  return ["database", { kind: "external", host }, `PostgreSQL at ${host}`];
}

function mail({ SMTP_URL, DATA_DIR }: Environment): Line {
  if (!SMTP_URL) {
    const outbox = join(DATA_DIR, "outbox");
    return ["mail", { way: "outbox" }, `written to ${outbox}, sent to nobody`];
  }
  const { hostname: host } = new URL(SMTP_URL);
  return ["mail", { way: "smtp", host }, `sent by ${host}`];
}

function payments({ SANDBOX, STRIPE, STRIPE_API }: Environment): Line {
  if (SANDBOX) {
    return ["payments", { mode: "sandbox" }, `the local Stripe at ${SANDBOX.origin}`];
  }
  if (!STRIPE || !STRIPE_API)
    return ["payments", { mode: "none" }, "not configured, nothing is sold"];
  const mode = isLiveKey(STRIPE_API.secretKey) ? "live" : "test";
  const at = STRIPE_API.apiBase ? ` at ${STRIPE_API.apiBase}` : "";
  return ["payments", { mode }, `Stripe in ${mode} mode${at}`];
}

function trust({ TRUST_PROXY }: Environment): Line {
  const facts = { proxies: TRUST_PROXY };
  if (TRUST_PROXY === 0) {
    return ["trust", facts, "no proxy; a visitor's address is the connection's"];
  }
  const who =
    typeof TRUST_PROXY === "number"
      ? `${TRUST_PROXY} ${TRUST_PROXY === 1 ? "proxy" : "proxies"}, connecting from this machine or a private network`
      : `proxies connecting from ${TRUST_PROXY.join(", ")}`;
  return ["trust", facts, `X-Forwarded-For of ${who}; no other host there may reach the port`];
}

function missing({ MISSING }: Environment): Line {
  return ["missing", { names: MISSING }, MISSING.length > 0 ? MISSING.join(", ") : "nothing"];
}
