import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../client";
import type { Connection } from "../connection";
import { type KnownMigration, knownMigrations, lastApplied } from "../known-migrations";
import { MIGRATION_LOCK, migrateInTransaction } from "../migrate";
import { explainedBy, OperatorError } from "../operator-error";
import {
  fullName,
  quote,
  quoted,
  readAppliedMigrations,
  readSequences,
  readTables,
  type Sequence,
  type Table,
} from "./catalog";
import { columnList, transactionSettings } from "./snapshot";

/**
 * Tables that a site fills by itself as soon as it runs, without anybody's data. A database in which only these have
 * rows counts as empty. The keys in `site_keys` sign links in mails, but none has been sent yet.
 */
const FILLED_BY_ITSELF: ReadonlySet<string> = new Set(
  [
    "edition_documents",
    "edition_files",
    "daily_visitors",
    "editions",
    "mail_token_buckets",
    "mail_workers",
    "operator_matters",
    "operator_signals",
    "program_starts",
    "rate_limits",
    "site_keys",
    "stripe_prices",
    "stripe_site",
    "text_announcements",
    "visitor_hashes",
    "visitor_salts",
  ].map((name) => `public.${name}`),
);

/** How long the session of a site that has just stopped, or was killed, may take to end, in milliseconds. */
const LAST_SESSION_MS = 3_000;
const RETRY_MS = 100;

/** Loads a site's data into an empty database. */
export type Loader = {
  /** Stores the rows of a table, in COPY's text format. */
  loadRows(table: Table, rows: AsyncIterable<Uint8Array>): Promise<void>;
  loadSequences(sequences: Sequence[]): Promise<void>;
};

/** What an operator is told of a database's error, by its code. */
const SENTENCES = {
  "42501":
    "The database user may not create the site's tables: grant it CREATE on the database and on its schema 'public'.",
  "53100": "The disk of the database is full. Nothing was changed.",
  "55P03": "Another program uses this database: stop it first. Nothing was changed.",
};

/** A foreign key, with the statements' parts that drop it and add it again. */
type ForeignKey = { table: string; name: string; definition: string };

/**
 * Fills an empty database in one transaction: creates the tables by these migrations, then loads the data with `work`.
 * It commits once `work` has resolved, every foreign key holds, and `beforeCommit` has resolved; otherwise the database
 * stays empty. The migrations must be known and in order; later ones are left to the next start. Throws an
 * OperatorError if the database is not empty or in use.
 */
export async function loadIntoEmpty(
  database: Database,
  migrations: string[],
  work: (loader: Loader) => Promise<void>,
  beforeCommit: () => Promise<void> = async () => {},
): Promise<void> {
  const connection = await database.connect();
  try {
    await connection.query(
      `begin; ${transactionSettings(connection)}; set local lock_timeout = '5s'`,
    );
    await connection.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await requireNoOtherProgram(connection);
    await clearEmpty(connection);
    const applied = knownMigrations().slice(0, migrations.length);
    await migrateInTransaction(connection, applied);
    const keys = await dropForeignKeys(connection);
    const tables = await readTables(connection);
    // the journal's rows, and those that migrations inserted, are loaded too
    await connection.query(`truncate ${tables.map(quoted).join(", ")}`);
    await work(loaderInto(connection, tables, applied.at(-1)));
    for (const { table, name, definition } of keys) {
      await connection.query(`alter table ${table} add constraint ${quote(name)} ${definition}`);
    }
    await beforeCommit();
    await connection.query("commit");
    await connection.query("analyze").catch(() => {});
  } catch (error) {
    throw explainedBy(SENTENCES, error);
  } finally {
    // rolls back what is not committed
    connection.destroy();
  }
}

/** Throws the OperatorError that `loadIntoEmpty` would throw now; changes nothing. */
export async function requireEmpty(database: Database): Promise<void> {
  const connection = await database.connect();
  try {
    await requireNoOtherProgram(connection);
    await findOwnTables(connection);
  } finally {
    await connection.end();
  }
}

/**
 * Whether a site's database, of this release or an earlier one, holds nobody's data. Foreign tables do not count: no
 * backup holds them, and the site's user may not be allowed to read them.
 */
export async function holdsNothing(database: Database): Promise<boolean> {
  const connection = await database.connect();
  try {
    const site = lastApplied(await readAppliedMigrations(connection));
    const tables = await readTables(connection);
    const own = tables.filter((table) => !site || site.tables.has(fullName(table)));
    return (await usedTables(connection, own)).length === 0;
  } finally {
    await connection.end();
  }
}

function loaderInto(connection: Connection, tables: Table[], site?: KnownMigration): Loader {
  return {
    async loadRows(table, rows) {
      const found = tables.find((other) => fullName(other) === fullName(table));
      const missing = table.columns.filter((column) => !found?.columns.includes(column));
      if (!found || missing.length > 0) {
        throw new OperatorError(
          `The backup has data for ${fullName(table)} that its own migrations have no place for.`,
        );
      }
      await connection.copyIn(`copy ${quoted(table)} ${columnList(table)} from stdin`, rows);
    },
    async loadSequences(sequences) {
      const known = new Set(site && (await readSequences(connection, site)).map(fullName));
      for (const sequence of sequences) {
        if (!known.has(fullName(sequence))) continue;
        await connection.query("select setval($1::regclass, $2::bigint, $3)", [
          quoted(sequence),
          sequence.lastValue,
          sequence.isCalled,
        ]);
      }
    },
  };
}

/** Throws while a site or a command uses the database, which would be replaced while they work on it. */
async function requireNoOtherProgram(connection: Connection): Promise<void> {
  for (const startedAt = Date.now(); ; await sleep(RETRY_MS)) {
    // within a transaction pg_stat_activity keeps showing its first snapshot
    await connection.query("select pg_stat_clear_snapshot()");
    const [row] = await connection.query(`select count(*)::int as others from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
          and application_name like 'golden-path%'`);
    if (row?.others === 0) return;
    if (Date.now() - startedAt > LAST_SESSION_MS) {
      throw new OperatorError(
        "A site or a command of it uses this database: stop it first. Nothing was changed.",
      );
    }
  }
}

/** Drops the tables of a site without anybody's data, so that the backup's migrations can create theirs. */
async function clearEmpty(connection: Connection): Promise<void> {
  const before = await findOwnTables(connection);
  if (before.length === 0) return;
  // nobody may write between the check and the drop
  await connection.query(`lock table ${before.map(quoted).join(", ")} in access exclusive mode`);
  const tables = await findOwnTables(connection);
  const site = lastApplied(await readAppliedMigrations(connection));
  await connection.query(`drop table ${tables.map(quoted).join(", ")}`);
  // those of the tables have gone with them
  for (const sequence of site ? await readSequences(connection, site) : []) {
    await connection.query(`drop sequence ${quoted(sequence)}`);
  }
}

/** The tables of a site that nobody has used; none in a new database. Throws an OperatorError for any other. */
async function findOwnTables(connection: Connection): Promise<Table[]> {
  const tables = await readTables(connection);
  const applied = await readAppliedMigrations(connection);
  const newest = lastApplied(applied);
  if (applied.length > 0 && !newest) {
    throw new OperatorError(
      "The database is not empty: it holds the site of another release. Restore into a new database. Nothing was changed.",
    );
  }
  const foreign = tables.map(fullName).filter((name) => !newest?.tables.has(name));
  if (foreign.length > 0) {
    throw new OperatorError(
      `The database is not empty: it holds tables of something else (${some(foreign)}). Restore into a new database. Nothing was changed.`,
    );
  }
  const used = await usedTables(connection, tables);
  if (used.length > 0) {
    throw new OperatorError(
      `The database is not empty: a site has data in it (${some(used)}). Restore into a new database, or move DATA_DIR away first. Nothing was changed.`,
    );
  }
  return tables;
}

/** The names of the tables with anybody's data. */
async function usedTables(connection: Connection, tables: Table[]): Promise<string[]> {
  const used: string[] = [];
  for (const table of tables) {
    const name = fullName(table);
    if (FILLED_BY_ITSELF.has(name) || table.schema === "drizzle") continue;
    const [row] = await connection.query(`select exists (select from ${quoted(table)}) as used`);
    if (row?.used === true) used.push(table.name);
  }
  return used;
}

/**
 * Drops the foreign keys, so that tables can be filled in any order, and returns them. Adding them again checks every
 * row at once.
 */
async function dropForeignKeys(connection: Connection): Promise<ForeignKey[]> {
  const rows =
    await connection.query(`select quote_ident(nspname) || '.' || quote_ident(relname) as table, conname as name,
        pg_get_constraintdef(pg_constraint.oid) as definition
      from pg_constraint join pg_class on pg_class.oid = conrelid
        join pg_namespace on pg_namespace.oid = relnamespace
      where contype = 'f' and nspname in ('public', 'drizzle') and conparentid = 0`);
  const keys = rows as unknown as ForeignKey[];
  for (const { table, name } of keys) {
    await connection.query(`alter table ${table} drop constraint ${quote(name)}`);
  }
  return keys;
}

function some(names: string[]): string {
  const shown = names.slice(0, 5).join(", ");
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}
