import { sql } from "drizzle-orm";
import { db } from "../client";
import { JOURNAL, knownMigrations } from "../known-migrations";

/**
 * The rows of `pg_stat_activity` that are clients' sessions. Without `pg_read_all_stats` a role sees no `backend_type`
 * of other roles' sessions, but their database and role, of which the server's own processes lack one.
 */
const CLIENT_SESSION = sql.raw(
  `coalesce(backend_type, 'client backend') = 'client backend' and datid is not null and usesysid is not null`,
);

/** The whole server's connections as JSON: those in use, and the maximum for ordinary users. */
export const SERVER_CONNECTIONS = sql`json_build_object(
  'used', (select count(*) from pg_stat_activity where ${CLIENT_SESSION}),
  'max', current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true)::int, 0))`;

/** Version, size, connections, clock and state of a database. */
export type DatabaseHealth = {
  /** As in 18.4. */
  version: string;
  bytes: number;
  /** Of the whole server: those in use, and the maximum for ordinary users. */
  connections: { used: number; max: number };
  /** Of the site's role or database: those in use and the maximum; null without a limit of its own. */
  ownConnections: { used: number; max: number } | null;
  now: Date;
  isReadOnly: boolean;
  hasAutovacuum: boolean;
  /** Age of the oldest transaction id in this database. */
  transactionAge: number;
};

/** Reads version, size, connections, clock and state. */
export async function readDatabaseHealth(): Promise<DatabaseHealth> {
  type Row = Omit<DatabaseHealth, "now"> & { now: number };
  const [row] = await db().execute<Row>(sql`
    select split_part(current_setting('server_version'), ' ', 1) as version,
      pg_database_size(current_database())::float8 as bytes,
      ${SERVER_CONNECTIONS} as connections,
      (select json_build_object('used', used, 'max', most) from (
        select least(nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) as most,
          (select count(*) from pg_stat_activity where usename = current_user) as used
        from pg_roles, pg_database where rolname = current_user and datname = current_database()
      ) own where most is not null) as "ownConnections",
      extract(epoch from clock_timestamp())::float8 as now,
      current_setting('transaction_read_only')::bool as "isReadOnly",
      current_setting('autovacuum')::bool as "hasAutovacuum",
      (select age(datfrozenxid) from pg_database where datname = current_database()) as "transactionAge"`);
  if (!row) throw new Error("The database answered nothing.");
  return { ...row, now: new Date(row.now * 1_000) };
}

/** The duration of the fastest of several trivial queries, in milliseconds. */
export async function measureRoundTrip(): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i++) {
    const startedAt = performance.now();
    await db().execute(sql`select 1`);
    fastest = Math.min(fastest, performance.now() - startedAt);
  }
  return fastest;
}

/** A session that blocks others. */
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
 * Sessions in this database that others have waited for longer than so many seconds, and those idle in a transaction
 * for as long, which block VACUUM.
 */
export async function findStuckSessions(seconds: number): Promise<StuckSession[]> {
  return db().execute<StuckSession>(sql`
    with waiting as (
      select unnest(pg_blocking_pids(pid)) as pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
        and query_start < now() - ${seconds}::float8 * interval '1 second'
    )
    select pid, coalesce(application_name, '') as program,
      coalesce(state like 'idle in transaction%', false) as "isIdle",
      extract(epoch from clock_timestamp() - coalesce(state_change, query_start))::float8 as seconds,
      (select count(*)::int from waiting where waiting.pid = activity.pid) as waiting
    from pg_stat_activity activity
    where datname = current_database() and pid <> pg_backend_pid() and (
      pid in (select pid from waiting)
      or (state like 'idle in transaction%'
        and state_change < now() - ${seconds}::float8 * interval '1 second'))
    order by waiting desc, seconds desc limit 3`);
}

/** Tables with at least so many dead rows, and more of them than live ones, largest first. */
export async function findBloatedTables(
  atLeast: number,
): Promise<{ table: string; dead: number }[]> {
  return db().execute<{ table: string; dead: number }>(sql`
    select relname as table, n_dead_tup::float8 as dead from pg_stat_user_tables
    where n_dead_tup >= ${atLeast}::int and n_dead_tup > n_live_tup
    order by n_dead_tup desc limit 3`);
}

/** The site's tables whose rows the database user may not read, insert, update and delete alike, by their names. */
export async function findForbiddenTables(): Promise<string[]> {
  const tables = [...(knownMigrations().at(-1)?.tables ?? [])].filter((name) => name !== JOURNAL);
  const rows = await db().execute<{ name: string }>(sql`
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
export async function compareMigrations(): Promise<{ pending: number; unknown: number }> {
  const known = knownMigrations().map(({ hash }) => hash);
  const [journal] = await db().execute<{ name: string | null }>(
    sql`select to_regclass(${JOURNAL})::text as name`,
  );
  if (!journal?.name) return { pending: known.length, unknown: 0 };
  const rows = await db().execute<{ hash: string }>(
    sql`select hash from drizzle.__drizzle_migrations`,
  );
  const applied = new Set(rows.map(({ hash }) => hash));
  return {
    pending: known.filter((hash) => !applied.has(hash)).length,
    unknown: [...applied].filter((hash) => !known.includes(hash)).length,
  };
}
