import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import { z } from "zod";
import type { Database, Executor, Transaction } from "./client";
import type { Connection } from "./connection";
import { databaseErrorCode } from "./database-errors";
import { JOURNAL, type KnownMigration } from "./known-migrations";
import { migrationsFolder } from "./migrations-folder";
import { explainedBy, OperatorError } from "./operator-error";
import { programVersion } from "./program-version";

/** Held while the schema changes. Arbitrary, but used for no other advisory lock in the database. */
export const MIGRATION_LOCK = 7_240_918_355_102;

/**
 * How long the lock's session may be idle, and how often its program pings, in milliseconds. A holder whose machine has
 * crashed must not block the others forever.
 */
const IDLE_MS = { limit: 60_000, ping: 15_000 };

/**
 * How long a migration waits for a table in use, and the pause before it tries again, in milliseconds. While it waits,
 * all other users of the table wait behind it.
 */
const TABLE_WAIT_MS = { lock: 2_000, pause: 5_000, all: 15 * 60_000 };

/**
 * PostgreSQL's codes for lock_not_available and deadlock_detected. In a deadlock another session holds a table while it
 * waits for one that the upgrade has locked.
 */
const IN_USE: ReadonlySet<string> = new Set(["55P03", "40P01"]);

/** What an operator is told of a database's error, by its code: when its release is read, and when it is upgraded. */
const OF_READING = {
  "42501":
    "The database user may not read which release the database is of: grant it USAGE on the schema 'drizzle' and SELECT on its tables, and, unless the tables are its own, SELECT, INSERT, UPDATE and DELETE on all those of 'public'.",
};
const STAYED_IN_USE =
  "The database was not upgraded, because a table that changes was in use all the time: end what uses it, such as an open psql, and start again.";
const OF_MIGRATING = {
  "42501":
    "The database user may not create or change the site's tables: make it the owner of them and of the schema 'drizzle', and grant it CREATE on the database and on its schema 'public'.",
  "53100": "The disk of the database is full.",
  "55P03": STAYED_IN_USE,
  "40P01": STAYED_IN_USE,
};

export type MigrateOptions = {
  /**
   * Called once, by the instance that migrates, before it changes a database with data; receives the number of applied
   * migrations. Returns the name of the backup it has made. An error that it throws ends the upgrade.
   */
  backUp?: (applied: number) => Promise<string | null>;
  /** Receives a sentence while the upgrade waits for others. */
  onWait?: (sentence: string) => void;
  /** Gives up between two attempts to get a table. */
  signal?: AbortSignal;
  tableWait?: typeof TABLE_WAIT_MS;
  idle?: typeof IDLE_MS;
};

/**
 * Applies the pending migrations of `db/migrations` and returns their number. They run in one transaction that
 * holds an advisory lock. So concurrent starts take turns, and a killed program leaves neither a partial schema
 * nor a lock behind. Throws an OperatorError for a database of a newer release, or for one that its user may not
 * read or change.
 */
export async function migrateDatabase(
  database: Database,
  options: MigrateOptions = {},
): Promise<number> {
  const { idle = IDLE_MS } = options;
  // With nothing to migrate no DDL privilege is needed: the site may run as a user who cannot alter the schema.
  const known = await readKnown(database.db).catch((error) =>
    Promise.reject(explainedBy(OF_READING, error)),
  );
  if (isCurrent(known)) return 0;

  const migrationDatabase = database.reopen({ max: 1, statementTimeout: null, onQuery: undefined });
  try {
    return await migrationDatabase.db.transaction(async (transaction) => {
      for (const setting of patientSettings(idle.limit))
        await transaction.execute(sql.raw(setting));
      await transaction.execute(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      const before = await readKnown(transaction);
      if (isCurrent(before)) return 0;
      const backup =
        before.length > 0 && options.backUp
          ? await keepingAlive(
              transaction,
              idle.ping,
              () => options.backUp?.(before.length) ?? null,
            )
          : null;
      await migrateWithRetries(transaction, options);
      await leaveUpgradeNote(newestKnown(), backup, transaction);
      return (await readApplied(transaction)).length - before.length;
    });
  } catch (error) {
    throw explainedBy(OF_MIGRATING, error);
  } finally {
    await migrationDatabase.close();
  }
}

/** Removes time limits of the server or the role from waiting for the lock and migrating. */
const patientSettings = (idleLimit: number) => [
  `set local idle_in_transaction_session_timeout = ${idleLimit}`,
  "set local lock_timeout = 0",
  "set local statement_timeout = 0",
  `select set_config('transaction_timeout', '0', true)
    where current_setting('server_version_num')::int >= 170000`,
];

/** Applies these migrations in the transaction that is open on a connection, to a database without tables. */
export async function migrateInTransaction(
  connection: Connection,
  migrations: KnownMigration[],
): Promise<void> {
  // as Drizzle's own `migrate` does, which takes every migration of a folder
  await connection.query("create schema if not exists drizzle");
  await connection.query(
    `create table if not exists ${JOURNAL} (id serial primary key, hash text not null, created_at bigint)`,
  );
  for (const { sql: statements, hash, folderMillis } of migrations) {
    for (const statement of statements) await connection.query(statement);
    await connection.query(`insert into ${JOURNAL} (hash, created_at) values ($1, $2)`, [
      hash,
      folderMillis,
    ]);
  }
}

/** Migrates within a savepoint, whose rollback releases the tables locked so far. */
async function migrateWithRetries(
  transaction: Transaction,
  { onWait = () => {}, signal, tableWait = TABLE_WAIT_MS }: MigrateOptions,
): Promise<void> {
  await transaction.execute(sql.raw(`set local lock_timeout = ${tableWait.lock}`));
  for (const startedAt = Date.now(); ; ) {
    signal?.throwIfAborted();
    try {
      await transaction.transaction((savepoint) =>
        migrate(asDatabase(savepoint), { migrationsFolder: migrationsFolder() }),
      );
      return;
    } catch (error) {
      if (!IN_USE.has(databaseErrorCode(error) ?? "")) throw error;
      if (Date.now() - startedAt > tableWait.all) throw error;
      onWait(
        "A table that the upgrade changes is in use by somebody else, such as a backup or an open psql; it is tried again in a moment.",
      );
    }
    await sleep(tableWait.pause, undefined, { signal });
  }
}

/** Does the work and pings meanwhile, because the server would end the transaction's idle session. */
async function keepingAlive<T>(
  transaction: Transaction,
  pingMs: number,
  work: () => T,
): Promise<Awaited<T>> {
  let ping: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    // a session that has ended fails the next statement
    ping = transaction.execute(sql`select 1`).then(
      () => {},
      () => {},
    );
  }, pingMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await ping;
  }
}

/** Whether no migration is pending. */
function isCurrent(applied: number[]): boolean {
  return (applied.at(-1) ?? Number.NEGATIVE_INFINITY) >= newestKnown();
}

function newestKnown(): number {
  return readMigrationFiles({ migrationsFolder: migrationsFolder() }).at(-1)?.folderMillis ?? 0;
}

/** As `readApplied`; throws an OperatorError for a migration that this program does not have. */
async function readKnown(executor: Executor): Promise<number[]> {
  const applied = await readApplied(executor);
  const migrations = readMigrationFiles({ migrationsFolder: migrationsFolder() });
  const known = new Set(migrations.map(({ folderMillis }) => folderMillis));
  const unknown = applied.filter((time) => !known.has(time));
  if (unknown.length === 0) return applied;
  const note = await readUpgradeNote(applied.at(-1) ?? 0, executor);
  // in development, and until a version is given, both have the same number
  const release =
    note && note.release !== programVersion() ? `release ${note.release}` : "a newer release";
  const backup = note?.backup ?? "the backup that was made before it";
  throw new OperatorError(
    `The database was upgraded by ${release}, and this program, release ${programVersion()}, does not know what has changed (${unknown.length} of ${applied.length} migrations). Start the newer release again, or go back to before its upgrade: restore ${backup} into a new DATA_DIR or database (docs/operating.md). Nothing was changed.`,
  );
}

/** The creation times of the applied migrations, which identify them, in order. */
async function readApplied(executor: Executor): Promise<number[]> {
  const [table] = await executor.execute<{ name: string | null }>(
    sql.raw(`select to_regclass('${JOURNAL}')::text as name`),
  );
  if (!table?.name) return [];
  const rows = await executor.execute<{ time: string }>(
    sql.raw(`select created_at as time from ${JOURNAL} order by created_at, id`),
  );
  return rows.map(({ time }) => Number(time));
}

/** The migrator asks for a database but uses only what a transaction has too. */
function asDatabase(transaction: Transaction): Parameters<typeof migrate>[0] {
  return transaction as unknown as Parameters<typeof migrate>[0];
}

const noteSchema = z.object({
  release: z.string(),
  newest: z.number(),
  backup: z.string().nullable(),
});

/**
 * A note by the last upgrade, which an older program shows to its operator. It names the release, its newest migration
 * and the backup made before.
 */
type UpgradeNote = z.infer<typeof noteSchema>;

/**
 * Leaves a note of this upgrade as a comment on the journal, in the upgrade's transaction. Older backups and programs
 * would not know a table for it.
 */
async function leaveUpgradeNote(
  newest: number,
  backup: string | null,
  executor: Executor,
): Promise<void> {
  const note: UpgradeNote = { release: programVersion(), newest, backup };
  const text = JSON.stringify(note).replaceAll("'", "''");
  await executor.execute(sql.raw(`comment on table ${JOURNAL} is '${text}'`));
}

/** The note of the upgrade that applied this migration as its last; null if there is none. */
async function readUpgradeNote(newest: number, executor: Executor): Promise<UpgradeNote | null> {
  const [row] = await executor.execute<{ note: string | null }>(
    sql.raw(`select obj_description(to_regclass('${JOURNAL}'), 'pg_class') as note`),
  );
  try {
    const note = noteSchema.parse(JSON.parse(row?.note ?? ""));
    return note.newest === newest ? note : null;
  } catch {
    return null;
  }
}
