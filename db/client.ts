import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import type { Sql } from "postgres";
import { Connection, type ConnectionSettings } from "./connection";
import { describeConnectionFailure } from "./connection-failure";
import { ConnectionPool, type PoolLimits, type PoolStatistics } from "./connection-pool";
import { OperatorError } from "./operator-error";
import * as schema from "./schema";

/** The oldest PostgreSQL the migrations and queries are written for. */
const OLDEST_SERVER = 15;

type Queries = PostgresJsDatabase<typeof schema>;

/** An open transaction, as `getDatabase().db.transaction(async (transaction) => …)` hands it out. */
export type Transaction = Parameters<Parameters<Queries["transaction"]>[0]>[0];

/**
 * What a query runs on: the pool or an open transaction. A query function takes it as its last
 * parameter: `findUserById(id: string, executor: Executor = getDatabase().db)`.
 */
export type Executor = Queries | Transaction;

export type Database = {
  /** Drizzle over the pool. Each query takes a connection for itself, `transaction` one for its whole run. */
  readonly db: Queries;
  /** A second pool at the same address, with other options; it is closed by itself. */
  readonly reopen: (options: DatabaseOptions) => Database;
  readonly statistics: () => PoolStatistics;
  /** Waits for running queries (5 s at most), then closes every connection. */
  readonly close: () => Promise<void>;
};

export type DatabaseOptions = Partial<PoolLimits> & {
  /** Shown in `pg_stat_activity`. */
  applicationName?: string;
  /** What a failure to connect names as the source of the address; default `DATABASE_URL`. */
  setting?: string;
  /** Called after each statement with its duration in milliseconds and whether it failed. */
  onQuery?: (milliseconds: number, failed: boolean) => void;
};

/** A database at this address that connects when first asked something; nothing is checked here. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { applicationName = "golden-path", setting: _, onQuery, ...limits } = options;
  const settings: ConnectionSettings = { url, applicationName };
  const pool = new ConnectionPool(settings, limits, onQuery);
  // Drizzle asks of its client no more than the pool's facade has: `unsafe`, `begin` and `options`.
  const db = drizzle(pool.client as unknown as Sql, { schema });
  return {
    db,
    reopen: (changes) => openDatabase(url, { ...options, ...changes }),
    statistics: () => pool.statistics(),
    close: () => pool.close(),
  };
}

/**
 * As `openDatabase`, but proves first that the server answers, takes the credentials and is
 * PostgreSQL 15 or newer. Throws an OperatorError of one sentence, without the password, if not.
 */
export async function connectDatabase(
  url: string,
  options: DatabaseOptions = {},
): Promise<Database> {
  let connection: Connection;
  try {
    connection = await Connection.open({
      url,
      applicationName: options.applicationName ?? "golden-path",
    });
  } catch (error) {
    throw new OperatorError(describeConnectionFailure(url, error, options.setting), {
      cause: error,
    });
  }
  const version = connection.serverVersion;
  await connection.end();
  if (version < OLDEST_SERVER * 10_000) {
    throw new OperatorError(
      `The database server is PostgreSQL ${Math.floor(version / 10_000)}, but this program needs PostgreSQL ${OLDEST_SERVER} or newer.`,
    );
  }
  return openDatabase(url, options);
}

let current: Database | null = null;

/** Makes this the database of the whole process; null takes it away again. */
export function setDatabase(database: Database | null): void {
  current = database;
}

/** True once `setDatabase` was given a database. */
export function hasDatabase(): boolean {
  return current !== null;
}

/** The database of the process. Throws when none was set: the program forgot to open one. */
export function getDatabase(): Database {
  if (current === null) throw new Error("No database is open: call setDatabase() first.");
  return current;
}
