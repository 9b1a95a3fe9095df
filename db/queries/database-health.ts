import { sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { JOURNAL, knownMigrations } from "../known-migrations";

/**
 * The rows of `pg_stat_activity` that are clients' sessions. Without `pg_read_all_stats` a role sees of the sessions of
 * others neither what they do nor `backend_type`, but database and role, of which the server's own processes lack one.
 */
export const CLIENT_SESSION = sql.raw(
  `coalesce(backend_type, 'client backend') = 'client backend' and datid is not null and usesysid is not null`,
);

/** What a database says of itself. */
export type DatabaseHealth = {
  /** As in 18.4. */
  version: string;
  bytes: number;
  /** Of the whole server: in use, and for ordinary users at most. */
  connections: { used: number; max: number };
  /** Of the site's role or database: in use and at most; null without a limit of its own. */
  ownConnections: { used: number; max: number } | null;
  now: Date;
  isReadOnly: boolean;
  hasAutovacuum: boolean;
  /** Age of the oldest transaction id in this database. */
  transactionAge: number;
};

/** Reads version, size, connections, clock and state. */
export async function readDatabaseHealth(
  executor: Executor = getDatabase().db,
): Promise<DatabaseHealth> {
  const [row] = await executor.execute<Record<string, unknown>>(sql`
    select current_setting('server_version') as version,
      pg_database_size(current_database()) as bytes,
      (select count(*) from pg_stat_activity where ${CLIENT_SESSION}) as used,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as max,
      (select count(*) from pg_stat_activity where usename = current_user) as own_used,
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user) as role_max,
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database()) as database_max,
      extract(epoch from clock_timestamp()) as now,
      current_setting('transaction_read_only')::bool as read_only,
      current_setting('autovacuum')::bool as autovacuum,
      (select age(datfrozenxid) from pg_database where datname = current_database()) as age`);
  if (!row) throw new Error("The database answered nothing.");
  const limits = [row.role_max, row.database_max].filter((limit) => limit !== null).map(Number);
  return {
    version: String(row.version).split(" ")[0] ?? "",
    bytes: Number(row.bytes),
    connections: { used: Number(row.used), max: Number(row.max) },
    ownConnections:
      limits.length > 0 ? { used: Number(row.own_used), max: Math.min(...limits) } : null,
    now: new Date(Number(row.now) * 1_000),
    isReadOnly: row.read_only === true,
    hasAutovacuum: row.autovacuum === true,
    transactionAge: Number(row.age),
  };
}

/** The fastest of several trivial questions, in milliseconds. */
export async function measureRoundTrip(executor: Executor = getDatabase().db): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i++) {
    const startedAt = performance.now();
    await executor.execute(sql`select 1`);
    fastest = Math.min(fastest, performance.now() - startedAt);
  }
  return fastest;
}

/** A session that holds others up. */
export type StuckSession = {
  pid: number;
  /** `application_name`, which may be empty. */
  program: string;
  /** How long it has done nothing within a transaction, or its statement has run, in seconds. */
  seconds: number;
  /** How many sessions wait for it. */
  waiting: number;
  isIdle: boolean;
};

/**
 * Sessions in this database that others have been waiting for longer than so many seconds, and those that have done
 * nothing within a transaction for as long, which keeps VACUUM from its work.
 */
export async function findStuckSessions(
  seconds: number,
  executor: Executor = getDatabase().db,
): Promise<StuckSession[]> {
  const rows = await executor.execute<Record<string, unknown>>(sql`
    with waiting as (
      select unnest(pg_blocking_pids(pid)) as pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
        and query_start < now() - ${seconds}::float8 * interval '1 second'
    )
    select pid, application_name as program, state like 'idle in transaction%' as idle,
      extract(epoch from clock_timestamp() - coalesce(state_change, query_start)) as seconds,
      (select count(*) from waiting where waiting.pid = activity.pid) as waiting
    from pg_stat_activity activity
    where datname = current_database() and pid <> pg_backend_pid() and (
      pid in (select pid from waiting)
      or (state like 'idle in transaction%'
        and state_change < now() - ${seconds}::float8 * interval '1 second'))
    order by waiting desc, seconds desc limit 3`);
  return rows.map((row) => ({
    pid: Number(row.pid),
    program: String(row.program ?? ""),
    seconds: Number(row.seconds),
    waiting: Number(row.waiting),
    isIdle: row.idle === true,
  }));
}

/** Tables with at least so many dead rows that are more than the living ones, largest first. */
export async function findBloatedTables(
  atLeast: number,
  executor: Executor = getDatabase().db,
): Promise<{ table: string; dead: number }[]> {
  const rows = await executor.execute<Record<string, unknown>>(sql`
    select relname as table, n_dead_tup as dead from pg_stat_user_tables
    where n_dead_tup >= ${atLeast}::int and n_dead_tup > n_live_tup
    order by n_dead_tup desc limit 3`);
  return rows.map(({ table, dead }) => ({ table: String(table), dead: Number(dead) }));
}

/** The site's tables whose rows the database user may not read, insert, update and delete alike, by their names. */
export async function findForbiddenTables(
  executor: Executor = getDatabase().db,
): Promise<string[]> {
  const tables = [...(knownMigrations().at(-1)?.tables ?? [])].filter((name) => name !== JOURNAL);
  const rows = await executor.execute<{ name: string }>(sql`
    select name from (values ${sql.join(
      tables.map((table) => sql`(${table}::text)`),
      sql`, `,
    )}) site (name)
    where exists (
      select from unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) privilege
      where not has_table_privilege(to_regclass(name), privilege))
    order by name`);
  return rows.map(({ name }) => name.replace("public.", ""));
}

/** How many migrations of this release the database lacks, and how many it has that this release does not know. */
export async function compareMigrations(
  executor: Executor = getDatabase().db,
): Promise<{ pending: number; unknown: number }> {
  const known = knownMigrations().map(({ hash }) => hash);
  const [journal] = await executor.execute<{ name: string | null }>(
    sql`select to_regclass(${JOURNAL})::text as name`,
  );
  if (!journal?.name) return { pending: known.length, unknown: 0 };
  const rows = await executor.execute<{ hash: string }>(
    sql`select hash from drizzle.__drizzle_migrations`,
  );
  const applied = new Set(rows.map(({ hash }) => hash));
  return {
    pending: known.filter((hash) => !applied.has(hash)).length,
    unknown: [...applied].filter((hash) => !known.includes(hash)).length,
  };
}
