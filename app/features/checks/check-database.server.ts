import { env } from "~/env.server";
import { databaseErrorCode } from "~db/database-errors";
import { SNAPSHOT_SESSION } from "~db/dump/snapshot";
import {
  compareMigrations,
  type DatabaseHealth,
  findBloatedTables,
  findForbiddenTables,
  findStuckSessions,
  measureRoundTrip,
  readDatabaseHealth,
  type StuckSession,
} from "~db/queries/database-health";
import { type Answer, ok, problem, warning } from "./answer";
import { formatBytes } from "./disk-space.server";

/** PostgreSQL's error code for a missing privilege. */
const INSUFFICIENT_PRIVILEGE = "42501";

/** How long a session may wait for a lock, or hold one while idle, in seconds. */
const STUCK_SECONDS = 30;

/** VACUUM has fallen behind with more dead rows than this, if they also outnumber the live ones. */
const DEAD_ROWS = 50_000;

/** Age of the oldest transaction id to warn at. PostgreSQL stops at 2 billion (docs, 24.1.5). */
const TRANSACTION_AGE = 1_000_000_000;

/** Share of connections in use at which the next visitor may get none. */
const CONNECTIONS_USED = 0.8;

/** How long a trivial query may take, in milliseconds. A page runs several in sequence. */
const ROUND_TRIP_MS = 50;

/** Checks the open database: schema, state, privileges, connections, blocking sessions, dead rows and latency. */
export async function checkDatabase(stuckSeconds = STUCK_SECONDS): Promise<Answer[]> {
  const health = await readDatabaseHealth();
  const kind = env().DATABASE_URL ? "" : ", embedded";
  // in sequence, since few connections may be left
  return [
    ok("server", `PostgreSQL ${health.version}${kind}, ${formatBytes(health.bytes)}`),
    await checkSchema(),
    judgeWriting(health, await findForbiddenTables()),
    judgeConnections(health),
    judgeSessions(await findStuckSessions(stuckSeconds)),
    ...judgeRows(await findBloatedTables(DEAD_ROWS), health),
    judgeRoundTrip(await measureRoundTrip()),
  ];
}

async function checkSchema(): Promise<Answer> {
  const what = "schema";
  try {
    const { pending, unknown } = await compareMigrations();
    if (unknown > 0) {
      const found = `has ${unknown} migrations of a newer release than this program`;
      const advice = "Run the newer release again, or restore the backup made before it.";
      return problem(what, found, advice);
    }
    if (pending > 0) {
      const found = `${pending} ${pending === 1 ? "migration is" : "migrations are"} pending`;
      const advice = "Restart the site with this release: it applies them when it starts.";
      return problem(what, found, advice);
    }
    return ok(what, "of this release");
  } catch (error) {
    if (databaseErrorCode(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    const advice =
      "Grant it: grant usage on schema drizzle to …; grant select on all tables in schema drizzle to …;";
    return problem(what, "the database user may not read its version", advice);
  }
}

function judgeWriting({ isReadOnly }: DatabaseHealth, forbidden: string[]): Answer {
  const what = "writing";
  if (isReadOnly) return problem(what, "read-only, so no one can sign up or pay", PRIMARY);
  if (forbidden.length === 0) return ok(what, "possible");
  const count = forbidden.length === 1 ? "a table" : `${forbidden.length} tables`;
  const found = `the database user may not use ${count}, such as ${forbidden[0]}`;
  const advice =
    "Grant it: grant select, insert, update, delete on all tables in schema public to …;";
  return problem(what, found, advice);
}

function judgeConnections({ connections, ownConnections }: DatabaseHealth): Answer {
  const what = "connections";
  const isMany = ({ used, max }: typeof connections) => used > CONNECTIONS_USED * max;
  if (ownConnections && isMany(ownConnections)) {
    const found = `${ownConnections.used} of the ${ownConnections.max} that role or database may have are in use`;
    return warning(what, found, "Raise CONNECTION LIMIT: an instance of the site uses up to 18.");
  }
  const found = `${connections.used} of ${connections.max} in use`;
  if (!isMany(connections)) return ok(what, found);
  const advice =
    "Raise max_connections of the server, or end what else uses it (pg_stat_activity shows it).";
  return warning(what, found, advice);
}

function judgeSessions(stuck: StuckSession[]): Answer {
  const what = "locks";
  if (stuck.length === 0) return ok(what, "no one is waiting");
  const found = stuck.map(describeSession).join("; ");
  const other = stuck.find(({ program }) => program !== SNAPSHOT_SESSION);
  return other
    ? problem(what, found, `End it, as in: select pg_terminate_backend(${other.pid});`)
    : warning(what, found, "Wait until the site's backup is done.");
}

function describeSession({ pid, program, seconds, waiting, isIdle }: StuckSession): string {
  const who = `session ${pid}${program ? ` (${program.slice(0, 40)})` : ""}`;
  const does = isIdle ? "has done nothing within a transaction" : "has been at work";
  const others = waiting > 0 ? `, and ${waiting} wait for it` : "";
  return `${who} ${does} for ${Math.round(seconds)} s${others}`;
}

function judgeRows(
  bloated: { table: string; dead: number }[],
  { hasAutovacuum, transactionAge }: DatabaseHealth,
): Answer[] {
  const answers: Answer[] = [];
  if (!hasAutovacuum) {
    const found = "turned off, so the database keeps growing until it stops";
    const advice = "Turn it on: alter system reset autovacuum; select pg_reload_conf();";
    answers.push(problem("autovacuum", found, advice));
  }
  if (bloated.length > 0) {
    const found = bloated.map(({ table, dead }) => `${dead} in ${table}`).join(", ");
    const advice = "Run VACUUM; if they come back, find what keeps a transaction open.";
    answers.push(warning("dead rows", found, advice));
  }
  if (transactionAge > TRANSACTION_AGE) {
    const found = `the oldest is ${transactionAge.toLocaleString("en")} old; PostgreSQL stops at 2 billion`;
    const advice = "Run VACUUM (FREEZE) on this database, as its superuser.";
    answers.push(problem("transaction ids", found, advice));
  }
  return answers.length > 0 ? answers : [ok("dead rows", "cleared away")];
}

function judgeRoundTrip(milliseconds: number): Answer {
  const found = `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
  if (milliseconds <= ROUND_TRIP_MS) return ok("round trip", found);
  const advice =
    "Move the site and the database to the same data center, and check the load of both machines.";
  return warning("round trip", `${found}, and a page takes several`, advice);
}

/** The result of opening the database. */
export type Opening =
  | { kind: "open"; close: () => Promise<void> }
  | { kind: "none" }
  | { kind: "failed"; error: unknown };

/** Returns the answer for a database that is not open. The advice depends on the error's code. */
export function openingAnswer(opening: Exclude<Opening, { kind: "open" }>): Answer {
  const what = "server";
  if (opening.kind === "none") {
    const advice = "Start the site, which creates it, or set DATABASE_URL.";
    return warning(what, "none in DATA_DIR yet", advice);
  }
  const { error } = opening;
  const found = (error as Error).message.replace(/\s+/g, " ").replace(/\.$/, "");
  if (!env().DATABASE_URL) return problem(what, found, "Look at DATA_DIR/postgres.log.");
  const advice = ADVICE[databaseErrorCode(error) ?? ""];
  return problem(what, found, advice ?? COMPARE);
}

const PRIMARY =
  "If DATABASE_URL names a standby, name the primary; else reset default_transaction_read_only of role and database.";
const COMPARE = "Check the database's log and DATABASE_URL: docs/deploying.md.";
const START_IT = "Start the database, or correct host and port in DATABASE_URL.";
const LOGIN =
  "Correct user and password in DATABASE_URL, or set the user's password: alter role … password '…'.";
const NAME = "Correct the host in DATABASE_URL, or this machine's name servers.";
const TRUST = "Name the authority of the server's certificate in sslrootcert: docs/deploying.md.";
const ANSWER = "Check whether the database's machine is overloaded or a firewall is in the way.";

const ADVICE: Record<string, string> = {
  ECONNREFUSED: START_IT,
  SOCKET_ENOENT: START_IT,
  SOCKET_ECONNREFUSED: START_IT,
  ENOTFOUND: NAME,
  EAI_AGAIN: NAME,
  CONNECT_TIMEOUT: ANSWER,
  ETIMEDOUT: ANSWER,
  EHOSTUNREACH: ANSWER,
  "28P01": LOGIN,
  "28000": "Let pg_hba.conf of the server accept this user from this machine.",
  "3D000": "Correct the database's name in DATABASE_URL, or create it: create database … owner …;",
  [INSUFFICIENT_PRIVILEGE]: "Grant it: grant connect on database … to …;",
  "53300":
    "Raise max_connections or the role's CONNECTION LIMIT, or end what else uses the server.",
  "57P03": "Wait a minute and run 'doctor' again. If it stays, check the database's log.",
  TLS_REFUSED: "Turn on TLS at the server (ssl = on), or set sslmode=disable on the same machine.",
  TLS_FAILED: TRUST,
  WRONG_SERVER: PRIMARY,
};
