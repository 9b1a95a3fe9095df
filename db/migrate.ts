import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import type { Sql } from "postgres";
import type { Database, Executor, Transaction } from "./client";
import type { Connection, Parameter } from "./connection";
import { databaseErrorCode } from "./database-errors";
import { TransactionClient } from "./drizzle-client";
import { OperatorError } from "./operator-error";

/** Held while the schema changes. Arbitrary, but used for no other advisory lock in the database. */
export const MIGRATION_LOCK = 7_240_918_355_102;

/** The table that says which migrations were applied. */
export const JOURNAL = "drizzle.__drizzle_migrations";

/**
 * Applies the pending migrations of `db/migrations` and returns their number. They run in one transaction that
 * holds an advisory lock, so concurrently starting instances run one after another, and a program that is killed
 * leaves neither a partial schema nor a lock behind.
 */
export async function migrateDatabase(database: Database): Promise<number> {
  const newest = readMigrationFiles({ migrationsFolder: migrationsFolder() }).at(-1);
  // With nothing to migrate no DDL privilege is needed: the site may run as a user who cannot alter the schema.
  if ((await readApplied(database.db)).newest >= (newest?.folderMillis ?? 0)) return 0;

  const migrationDatabase = database.reopen({ max: 1, statementTimeout: null, onQuery: undefined });
  try {
    return await migrationDatabase.db.transaction(async (transaction) => {
      // A lock holder whose machine has crashed must not block the others forever.
      await transaction.execute(sql`set local idle_in_transaction_session_timeout = '60s'`);
      await transaction.execute(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      const before = await readApplied(transaction);
      await migrate(asDatabase(transaction), { migrationsFolder: migrationsFolder() });
      return (await readApplied(transaction)).count - before.count;
    });
  } catch (error) {
    const code = databaseErrorCode(error);
    if (code === "42501") {
      throw new OperatorError(
        "The database user may not create the site's tables: grant it CREATE on the database and on its schema 'public'.",
        { cause: error },
      );
    }
    if (code === "53100") {
      throw new OperatorError("The disk of the database is full.", { cause: error });
    }
    throw error;
  } finally {
    await migrationDatabase.close();
  }
}

/** A migration of this program, identified by its digest. */
export type KnownMigration = MigrationMeta & {
  /** The tables there are once it was applied, as `schema.name`. */
  tables: ReadonlySet<string>;
  /** Likewise the sequences that belong to no table. */
  sequences: ReadonlySet<string>;
};

/** All migrations of this program, in the order they are applied. */
export function knownMigrations(): KnownMigration[] {
  const folder = migrationsFolder();
  return readMigrationFiles({ migrationsFolder: folder }).map((migration, index) => {
    const snapshot = `${String(index).padStart(4, "0")}_snapshot.json`;
    const { tables, sequences } = JSON.parse(readFileSync(join(folder, "meta", snapshot), "utf8"));
    return {
      ...migration,
      tables: new Set([JOURNAL, ...Object.keys(tables)]),
      sequences: new Set(Object.keys(sequences)),
    };
  });
}

/** Applies these migrations in the transaction that is open on a connection, to a database without tables. */
export async function migrateInTransaction(
  connection: Connection,
  migrations: KnownMigration[],
): Promise<void> {
  const send = (
    _: Connection,
    text: string,
    parameters: Parameter[],
    __: object,
    asArrays: boolean,
  ) => connection.query(text, parameters, { prepare: false, asArrays, timeout: null });
  const unused = () => Promise.reject(new Error("not used by the migrator"));
  const client = new TransactionClient({ send, query: unused, transaction: unused }, connection);
  // what drizzle's own `migrate` calls, which always takes every migration of a folder
  const { dialect, session } = drizzle(client as unknown as Sql) as unknown as {
    dialect: { migrate: (...all: unknown[]) => Promise<void> };
    session: unknown;
  };
  await dialect.migrate(migrations, session, { migrationsFolder: migrationsFolder() });
}

/** `db/migrations`, found from the source file and from `build/index.js` alike. */
export function migrationsFolder(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start; ; folder = dirname(folder)) {
    const migrations = join(folder, "db", "migrations");
    if (existsSync(join(folder, "package.json")) && existsSync(migrations)) return migrations;
    if (folder === dirname(folder)) {
      throw new OperatorError(
        `The folder db/migrations is missing beside package.json above ${start}.`,
      );
    }
  }
}

async function readApplied(executor: Executor): Promise<{ count: number; newest: number }> {
  const [table] = await executor.execute<{ name: string | null }>(
    sql`select to_regclass('drizzle.__drizzle_migrations')::text as name`,
  );
  if (!table?.name) return { count: 0, newest: Number.NEGATIVE_INFINITY };
  const [row] = await executor.execute<{ count: string; newest: string | null }>(
    sql`select count(*) as count, max(created_at) as newest from drizzle.__drizzle_migrations`,
  );
  return {
    count: Number(row?.count ?? 0),
    newest: Number(row?.newest ?? Number.NEGATIVE_INFINITY),
  };
}

/** The migrator asks for a database but uses only what a transaction has too. */
function asDatabase(transaction: Transaction): Parameters<typeof migrate>[0] {
  return transaction as unknown as Parameters<typeof migrate>[0];
}
