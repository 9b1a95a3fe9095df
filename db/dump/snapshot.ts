import type { Database } from "../client";
import type { Connection } from "../connection";
import { databaseErrorCode } from "../database-errors";
import { type KnownMigration, lastApplied } from "../known-migrations";
import { OperatorError } from "../operator-error";
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

/** PostgreSQL's codes for lock_not_available and undefined_table. */
const LOCK_TIMEOUT = "55P03";
const NO_SUCH_TABLE = "42P01";

/** A site's whole database as it was at one moment, while others go on writing to it. */
export type Snapshot = {
  /** As in 18.4. */
  serverVersion: string;
  /** The digests of the migrations that were applied, in order. */
  migrations: string[];
  tables: Table[];
  /** Tables of others in the site's schemas, which are left out. */
  foreignTables: string[];
  /** A table's rows as lines of COPY's text format, which every release of PostgreSQL reads. */
  rowsOf(table: Table): AsyncGenerator<Buffer>;
  /** To be read after the rows, so that no sequence is behind them. */
  sequences(): Promise<Sequence[]>;
};

/** The `application_name` of a session that reads a snapshot. */
export const SNAPSHOT_SESSION = "golden-path backup";

/** Text formats and time limits must not depend on the settings of a server or a role. */
export function transactionSettings({ serverVersion }: Connection): string {
  return [
    "set local datestyle = 'ISO'",
    "set local intervalstyle = 'postgres'",
    "set local timezone = 'UTC'",
    "set local bytea_output = 'hex'",
    "set local extra_float_digits = 1",
    "set local row_security = off",
    "set local statement_timeout = 0",
    "set local idle_in_transaction_session_timeout = 0",
    ...(serverVersion >= 170_000 ? ["set local transaction_timeout = 0"] : []),
  ].join("; ");
}

/**
 * Reads the site's database in one read-only transaction, which blocks nothing but `alter table` and the like. Throws
 * an OperatorError for a database without a site or of a newer release, or if a change of its tables takes too long.
 */
export async function withSnapshot<T>(
  database: Database,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const connection = await database.connect();
  try {
    const locked = new Set((await lockTables(connection)).map(fullName));
    const snapshot = await openSnapshot(connection);
    if (snapshot.tables.some((table) => !locked.has(fullName(table)))) throw altered();
    return await work(snapshot);
  } finally {
    // rows still being sent are no longer needed
    connection.destroy();
  }
}

/**
 * Locks the site's tables before the transaction takes its snapshot. A change that rewrites a table leaves it empty for
 * every older snapshot.
 * https://www.postgresql.org/docs/current/mvcc-caveats.html
 */
async function lockTables(connection: Connection): Promise<Table[]> {
  const { tables } = await findSite(connection);
  await connection.query(
    `begin isolation level repeatable read read only; ${transactionSettings(connection)}; set local lock_timeout = '60s'; set local application_name = '${SNAPSHOT_SESSION}'`,
  );
  try {
    await connection.query(`lock table ${tables.map(quoted).join(", ")} in access share mode`);
  } catch (error) {
    const code = databaseErrorCode(error) ?? "";
    throw [LOCK_TIMEOUT, NO_SUCH_TABLE].includes(code) ? altered(error) : error;
  }
  return tables;
}

async function openSnapshot(connection: Connection): Promise<Snapshot> {
  const { migrations, tables, foreignTables, newest } = await findSite(connection);
  const [{ version } = { version: "" }] = await connection.query(
    "select current_setting('server_version') as version",
  );
  return {
    serverVersion: String(version).split(" ")[0] ?? "",
    migrations,
    tables,
    foreignTables,
    rowsOf: (table) => connection.copyOut(`copy ${quoted(table)} ${columnList(table)} to stdout`),
    sequences: () => readSequences(connection, newest),
  };
}

/** The site's tables and others, and its migrations. Throws an OperatorError for another database. */
async function findSite(
  connection: Connection,
): Promise<Pick<Snapshot, "migrations" | "tables" | "foreignTables"> & { newest: KnownMigration }> {
  const migrations = await readAppliedMigrations(connection);
  if (migrations.length === 0) {
    throw new OperatorError(
      "There is nothing to back up: the database holds no site yet. Check DATABASE_URL and DATA_DIR.",
    );
  }
  const newest = lastApplied(migrations);
  if (!newest) {
    throw new OperatorError(
      "The database belongs to a newer release than this program: back it up with that release.",
    );
  }
  const tables = await readTables(connection);
  const isOwn = (table: Table) => newest.tables.has(fullName(table));
  return {
    migrations,
    newest,
    tables: tables.filter(isOwn),
    foreignTables: tables.filter((table) => !isOwn(table)).map(fullName),
  };
}

function altered(cause?: unknown): OperatorError {
  return new OperatorError(
    "The database's tables are being altered, as by an upgrade: try again when that has ended.",
    { cause },
  );
}

/** The columns of a table, as in a COPY. */
export function columnList({ columns }: Table): string {
  return `(${columns.map(quote).join(", ")})`;
}
