import type { HealthFacts } from "~db/queries/operator-facts";
import type { OperatorMatter } from "~db/schema";
import type { Observation } from "./judge-matter";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Deliveries that have to be refused, with none accepted since the first of them. */
const REFUSED_WEBHOOKS = 3;

/** After how long without another one refused webhooks count as over: Stripe gives up after three days. */
const REFUSALS_OVER_MS = 3 * 24 * HOUR_MS;

/** How long no webhook may arrive after a payment the site has noticed by itself, in milliseconds; Stripe sends them within seconds. */
const SILENT_MS = 6 * HOUR_MS;

/** How long no worker can use the mail server, in milliseconds. */
const MAIL_WAITING_MS = 15 * MINUTE_MS;

/** How many of a day's mails, and which share of all, have to be refused. */
const REFUSED_MAILS = { least: 3, share: 0.1 };

/** How long no mail was refused while others were sent, before that counts as mended. */
const REFUSED_MAIL_OVER_MS = 6 * HOUR_MS;

/** Shares of the database's connections in use: from the first on they run short, below the second no longer. */
const CONNECTIONS = { bad: 0.9, good: 0.75 };

/** Runs that crashed within half an hour. */
const CRASHES = 3;

/** What the database's rows say of the site's health. `open` is what is open already. */
export function sharedObservations(
  facts: HealthFacts,
  open: readonly OperatorMatter[],
  now: Date,
): Observation[] {
  return [
    refusedWebhooks(facts, now),
    silentWebhooks(facts, now),
    waitingMail(facts, now),
    refusedMail(facts, now),
    connections(facts),
    ...pausedIssues(facts, open),
    ...endedDisputes(open),
    ...endedOutages(open),
  ];
}

/** A crash loop at a place that has a name; mended once this run has lasted longer than the crashes count. */
export function crashLoop({ crashes }: HealthFacts, place: string): Observation {
  const state = crashes >= CRASHES ? "bad" : crashes === 0 ? "good" : "unknown";
  return { kind: "crash-loop", key: `crash-loop:${place}`, state, facts: { crashes } };
}

function refusedWebhooks({ signals }: HealthFacts, now: Date): Observation {
  const refused = signals["webhook-refused"];
  const livemodeMismatches = signals["webhook-livemode-mismatch"];
  const count = (refused?.count ?? 0) + (livemodeMismatches?.count ?? 0);
  const lastAt = Math.max(
    refused?.lastAt.getTime() ?? 0,
    livemodeMismatches?.lastAt.getTime() ?? 0,
  );
  const isOver = count === 0 || now.getTime() - lastAt > REFUSALS_OVER_MS;
  return {
    kind: "webhooks-refused",
    key: "webhooks-refused",
    state: isOver ? "good" : count >= REFUSED_WEBHOOKS ? "bad" : "unknown",
    facts: { count, livemodeMismatches: livemodeMismatches?.count ?? 0 },
  };
}

function silentWebhooks({ signals }: HealthFacts, now: Date): Observation {
  const unannounced = signals["payment-without-webhook"];
  const age = unannounced ? now.getTime() - unannounced.firstAt.getTime() : 0;
  const last = signals["webhook-accepted"]?.lastAt;
  return {
    kind: "webhooks-silent",
    key: "webhooks-silent",
    state: !unannounced ? "good" : age > SILENT_MS ? "bad" : "unknown",
    facts: {
      payments: unannounced?.count ?? 0,
      ...(last ? { lastWebhookAt: last.toISOString() } : {}),
    },
  };
}

function waitingMail({ mail }: HealthFacts, now: Date): Observation {
  const { workers, waitingWorkers, waitingSince, reason } = mail;
  const isLong = waitingSince !== null && now.getTime() - waitingSince.getTime() > MAIL_WAITING_MS;
  return {
    kind: "mail-waiting",
    key: "mail-waiting",
    state: isLong ? "bad" : workers > 0 && waitingWorkers === 0 ? "good" : "unknown",
    facts: {
      ...(reason ? { reason } : {}),
      ...(waitingSince ? { since: waitingSince.toISOString() } : {}),
    },
  };
}

function refusedMail({ mail }: HealthFacts, now: Date): Observation {
  const { sent, refused, reply, lastRefusedAt, lastSentAt } = mail;
  const isMany =
    refused >= REFUSED_MAILS.least && refused >= REFUSED_MAILS.share * (sent + refused);
  // that nothing is refused proves nothing while nothing is sent
  const isOver =
    lastSentAt !== null &&
    (lastRefusedAt === null ||
      (lastSentAt > lastRefusedAt &&
        now.getTime() - lastRefusedAt.getTime() > REFUSED_MAIL_OVER_MS));
  return {
    kind: "mail-refused",
    key: "mail-refused",
    state: isOver ? "good" : isMany ? "bad" : "unknown",
    facts: { refused, sent, ...(reply ? { reply } : {}) },
  };
}

function connections({ connections: { used, most } }: HealthFacts): Observation {
  const share = used / Math.max(1, most);
  return {
    kind: "connections-low",
    key: "connections-low",
    state: share >= CONNECTIONS.bad ? "bad" : share < CONNECTIONS.good ? "good" : "unknown",
    facts: { used, most },
  };
}

function pausedIssues({ pausedIssues: paused }: HealthFacts, open: readonly OperatorMatter[]) {
  const keyOf = (id: string) => `issue-paused:${id}`;
  const bad = paused.map(
    ({ id, slug, reason }): Observation => ({
      kind: "issue-paused",
      key: keyOf(id),
      state: "bad",
      facts: { slug, reason },
    }),
  );
  const over = open
    .filter(({ kind, key }) => kind === "issue-paused" && !bad.some((one) => one.key === key))
    .map(({ key, facts }): Observation => ({ kind: "issue-paused", key, state: "good", facts }));
  return [...bad, ...over];
}

/** Being able to read this from the database means that it is available again. */
function endedOutages(open: readonly OperatorMatter[]): Observation[] {
  return open
    .filter(({ kind }) => kind === "database-unreachable")
    .map(({ key, facts }) => ({ kind: "database-unreachable", key, state: "good", facts }));
}

/** How a dispute ended is noted by who reads it from Stripe. */
function endedDisputes(open: readonly OperatorMatter[]): Observation[] {
  return open
    .filter(({ kind, facts, reportedAt }) => kind === "dispute" && facts.outcome && reportedAt)
    .map(({ key, facts }) => ({ kind: "dispute", key, state: "good", facts }));
}
