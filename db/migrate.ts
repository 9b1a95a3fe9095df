import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import type { Database, Executor, Transaction } from "./client";
import { databaseErrorCode } from "./database-errors";
import { OperatorError } from "./operator-error";

/** Arbitrary, but used for no other advisory lock in the database. */
const MIGRATION_LOCK = 7_240_918_355_102;

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
