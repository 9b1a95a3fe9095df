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
import { type AreaFinding, ok, problem, warning } from "./finding";
import { formatBytes } from "./format-bytes";
import type { Limits } from "./limits";

/** PostgreSQL's code for what a role has no right to. */
const INSUFFICIENT_PRIVILEGE = "42501";

/** Checks the database that is open: schema, state, rights, connections, sessions that hold others up, dead rows. */
export async function checkDatabase(limits: Limits): Promise<AreaFinding[]> {
  const health = await readDatabaseHealth();
  // one after another: of many connections there may be few left
  const schema = await checkSchema();
  const forbidden = await findForbiddenTables();
  const stuck = await findStuckSessions(limits.stuckSeconds);
  const bloated = await findBloatedTables(limits.deadRows);
  const milliseconds = await measureRoundTrip();
  const kind = env().DATABASE_URL ? "" : ", embedded";
  return [
    ok("server", `PostgreSQL ${health.version}${kind}, ${formatBytes(health.bytes)}`),
    schema,
    judgeWriting(health, forbidden),
    judgeConnections(health, limits),
    judgeSessions(stuck),
    ...judgeRows(bloated, health, limits),
    judgeRoundTrip(milliseconds, limits),
  ];
}

async function checkSchema(): Promise<AreaFinding> {
  try {
    return judgeMigrations(await compareMigrations());
  } catch (error) {
    if (databaseErrorCode(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    return problem(
      "schema",
      "the database user may not read its version",
      "Grant it: grant usage on schema drizzle to …; grant select on all tables in schema drizzle to …;",
    );
  }
}

function judgeMigrations({ pending, unknown }: { pending: number; unknown: number }): AreaFinding {
  const what = "schema";
  if (unknown > 0) {
    const found = `has ${unknown} migrations of a newer release than this program`;
    return problem(
      what,
      found,
      "Run the newer release again, or restore the backup made before it.",
    );
  }
  if (pending > 0) {
    const found = `${pending} ${pending === 1 ? "migration is" : "migrations are"} pending`;
    return problem(
      what,
      found,
      "Restart the site with this release: it applies them at its start.",
    );
  }
  return ok(what, "of this release");
}

function judgeWriting({ isReadOnly }: DatabaseHealth, forbidden: string[]): AreaFinding {
  const what = "writing";
  if (isReadOnly) return problem(what, "read-only, so nobody can sign up or pay", PRIMARY);
  if (forbidden.length === 0) return ok(what, "possible");
  const count = forbidden.length === 1 ? "a table" : `${forbidden.length} tables`;
  return problem(
    what,
    `the database user may not use ${count}, such as ${forbidden[0]}`,
    "Grant it: grant select, insert, update, delete on all tables in schema public to …;",
  );
}

function judgeConnections(
  { connections, ownConnections }: DatabaseHealth,
  { connectionsUsed }: Limits,
): AreaFinding {
  const what = "connections";
  if (ownConnections && ownConnections.used > connectionsUsed * ownConnections.max) {
    const found = `${ownConnections.used} of the ${ownConnections.max} that role or database may have are in use`;
    return warning(what, found, "Raise CONNECTION LIMIT: an instance of the site uses up to 18.");
  }
  const { used, max } = connections;
  const found = `${used} of ${max} in use`;
  if (used <= connectionsUsed * max) return ok(what, found);
  return warning(
    what,
    found,
    "Raise max_connections of the server, or end what else uses it (pg_stat_activity shows it).",
  );
}

function judgeSessions(stuck: StuckSession[]): AreaFinding {
  const what = "locks";
  if (stuck.length === 0) return ok(what, "nobody waits");
  const described = stuck.map(({ pid, program, seconds, waiting, isIdle }) => {
    const who = `session ${pid}${program ? ` (${program.slice(0, 40)})` : ""}`;
    const since = `for ${Math.round(seconds)} s`;
    const does = isIdle
      ? `has done nothing within a transaction ${since}`
      : `has been at work ${since}`;
    return `${who} ${does}${waiting > 0 ? `, and ${waiting} wait for it` : ""}`;
  });
  const others = stuck.filter(({ program }) => program !== SNAPSHOT_SESSION);
  if (others.length === 0) {
    return warning(what, described.join("; "), "Wait until the site's backup is done.");
  }
  const [{ pid } = { pid: 0 }] = others;
  return problem(what, described.join("; "), `End it, as in: select pg_terminate_backend(${pid});`);
}

function judgeRows(
  bloated: { table: string; dead: number }[],
  { hasAutovacuum, transactionAge }: DatabaseHealth,
  limits: Limits,
): AreaFinding[] {
  const findings: AreaFinding[] = [];
  if (!hasAutovacuum) {
    findings.push(
      problem(
        "autovacuum",
        "turned off, so the database only grows, and stops one day",
        "Turn it on: alter system reset autovacuum; select pg_reload_conf();",
      ),
    );
  }
  if (bloated.length > 0) {
    const found = bloated.map(({ table, dead }) => `${dead} in ${table}`).join(", ");
    findings.push(
      warning(
        "dead rows",
        found,
        "Run VACUUM; if they come back, find what keeps a transaction open.",
      ),
    );
  }
  if (transactionAge > limits.transactionAge) {
    const found = `the oldest is ${transactionAge.toLocaleString("en")} old; PostgreSQL stops at 2 billion`;
    findings.push(
      problem("transaction ids", found, "Run VACUUM (FREEZE) on this database, as its superuser."),
    );
  }
  return findings.length > 0 ? findings : [ok("dead rows", "cleared away")];
}

function judgeRoundTrip(milliseconds: number, { roundTripMs }: Limits): AreaFinding {
  const found = `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
  if (milliseconds <= roundTripMs) return ok("round trip", found);
  return warning(
    "round trip",
    `${found}, and a page takes several`,
    "Bring site and database into the same data centre, and look at the load of both machines.",
  );
}

/** What to do about a database that could not be opened, by the code of the error. */
export function openingFinding(error: unknown): AreaFinding {
  const found = (error as Error).message.replace(/\s+/g, " ");
  const { DATABASE_URL } = env();
  const advice = DATABASE_URL
    ? (ADVICE[databaseErrorCode(error) ?? ""] ??
      "Look at the database's log, and compare DATABASE_URL with it: docs/database.md.")
    : "Look at DATA_DIR/postgres.log.";
  // some sentences of the program say what to do themselves
  return problem("server", found.replace(/\.$/, ""), advice);
}

const PRIMARY =
  "If DATABASE_URL names a standby, name the primary; else reset default_transaction_read_only of role and database.";
const START_IT = "Start the database, or correct host and port in DATABASE_URL.";
const LOGIN =
  "Correct user and password in DATABASE_URL, or set the user's password: alter role … password '…'.";
const NAME = "Correct the host in DATABASE_URL, or this machine's name servers.";
const TRUST = "Name the authority of the server's certificate in sslrootcert: docs/database.md.";
const ANSWER = "Look whether the database's machine is overloaded, or a firewall is in the way.";

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
  "57P03": "Wait a minute, and run 'doctor' again; else look at the database's log.",
  TLS_REFUSED: "Turn TLS on at the server (ssl = on), or set sslmode=disable within one machine.",
  TLS_FAILED: TRUST,
  WRONG_SERVER: PRIMARY,
};
