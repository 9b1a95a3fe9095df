import { sql } from "drizzle-orm";
import { db } from "../client";
import { isWithinSeconds } from "../clock";
import { campaigns, mails, mailWorkers, operatorSignals, programStarts } from "../schema";
import { ISSUE_COMPLAINTS, type IssueComplaints } from "./complaints";
import { SERVER_CONNECTIONS } from "./database-health";

/** Facts about the site's health from the database; times are ISO 8601 strings. */
export type HealthFacts = {
  /** How often something has happened, and when first and last, by its name. */
  signals: Record<string, { count: number; firstAt: string; lastAt: string }>;
  workers: {
    /** Running workers, and those of them that cannot use the mail server. */
    running: number;
    waiting: number;
    /** Since when all of them wait; null while one does not, or there is none. */
    waitingSince: string | null;
    /** The codes of the failure that one of them waits after. */
    reason: string | null;
  };
  mail: {
    /** Mails of the last 24 hours that were sent, and that the mail server refused, for another reason than their address. */
    sent: number;
    refused: number;
    /** The codes that most of these were refused with. */
    reply: string | null;
    lastRefusedAt: string | null;
    lastSentAt: string | null;
  };
  /** Issues of the newsletter that the program has paused by itself. */
  pausedIssues: { id: string; slug: string; reason: string }[];
  /** Issues that at least three recipients have complained of in the last 30 days. */
  complaints: IssueComplaints[];
  connections: { used: number; max: number };
  /** Runs of the program at this place, begun in the last 30 minutes and over, that were not stopped in good order. */
  crashes: number;
};

/** A run of the program: a hash of its machine and DATA_DIR, and the id of its start. */
type ProgramRun = { place: string; startId: string };

/** Time limit of the query, in milliseconds. */
const TIMEOUT_MS = 5_000;

/**
 * Reads what the site's health is judged by, in one statement. `place` and `startId` are this program's. Rejects after
 * 5 s.
 */
export async function readHealthFacts(program: ProgramRun): Promise<HealthFacts> {
  const [row] = await db().transaction(async (tx) => {
    await tx.execute(sql.raw(`set local statement_timeout = ${TIMEOUT_MS}`));
    return tx.execute<{ facts: HealthFacts }>(statement(program));
  });
  if (!row) throw new Error("The site's health could not be read.");
  return row.facts;
}

/** Mails to the operator do not count: they would keep the alert open that they report, or resolve it. */
const OF_SITE = "kind not like 'operator-%'";

/**
 * A mail counts as refused only if the mail server replied. A missing or full mailbox says nothing about the server
 * (RFC 3463: 1, 2; without an enhanced code RFC 5321's reply codes).
 */
const REFUSED =
  sql.raw(`${OF_SITE} and state in ('failed', 'expired') and last_reply ~ '^[45]\\d\\d '
  and last_reply !~ ' [45]\\.[12]\\.' and last_reply !~ '^55[0123] RCPT'`);

const SENT = sql.raw(`${OF_SITE} and state = 'sent'`);

const statement = ({ place, startId }: ProgramRun) => sql`
  select json_build_object(
    'signals', (select coalesce(json_object_agg(name,
        json_build_object('count', count, 'firstAt', first_at, 'lastAt', last_at)), '{}') from ${operatorSignals}),
    'workers', (select json_build_object(
        'running', count(*), 'waiting', count(circuit_open_since),
        'waitingSince', case when count(*) = count(circuit_open_since) then max(circuit_open_since) end,
        'reason', min(circuit_reason))
      from ${mailWorkers} where ${isWithinSeconds(mailWorkers.heartbeatAt, 60)}),
    'mail', (select json_build_object(
        'sent', count(*) filter (where ${SENT}),
        'refused', count(*) filter (where ${REFUSED}),
        'reply', mode() within group (order by last_reply) filter (where ${REFUSED}),
        'lastRefusedAt', max(finished_at) filter (where ${REFUSED}),
        'lastSentAt', max(finished_at) filter (where ${SENT}))
      from ${mails} where campaign_id is null and ${isWithinSeconds(mails.finishedAt, 24 * 60 * 60)}),
    'pausedIssues', (select coalesce(json_agg(json_build_object('id', id, 'slug', slug, 'reason', pause_reason)), '[]')
      from ${campaigns} where state = 'paused' and pause_reason is not null),
    'complaints', (select coalesce(json_agg(issue), '[]') from (${ISSUE_COMPLAINTS}) issue),
    'connections', ${SERVER_CONNECTIONS},
    'crashes', (select count(*) from ${programStarts}
      where place = ${place} and id <> ${startId} and stopped_at is null
        and ${isWithinSeconds(programStarts.startedAt, 30 * 60)})
  ) as facts`;
