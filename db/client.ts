import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import type { Connection, ConnectionSettings } from "./connection";
import { describeConnectionFailure } from "./connection-failure";
import {
  ConnectionPool,
  type OnQuery,
  type PoolLimits,
  type PoolStatistics,
} from "./connection-pool";
import { openConnection } from "./open-connection";
import { OperatorError } from "./operator-error";
import * as schema from "./schema";

/** The oldest PostgreSQL the migrations and queries are written for. */
const MIN_SERVER_VERSION = 15;

type Queries = PostgresJsDatabase<typeof schema>;

/** An open transaction, as `db().transaction(async (transaction) => …)` passes it. */
export type Transaction = Parameters<Parameters<Queries["transaction"]>[0]>[0];

/**
 * The pool or an open transaction, to run a query on. A query function takes it as its last
 * parameter: `findUserById(id: string, executor: Executor = db())`.
 */
export type Executor = Queries | Transaction;

export type Database = {
  /** Drizzle over the pool. Each query acquires a connection; a transaction holds one until it ends. */
  readonly db: Queries;
  /** A second pool at the same address with other options; it has to be closed separately. */
  readonly reopen: (options: DatabaseOptions) => Database;
  /** A connection of the caller's own beside the pool, which the caller ends. */
  readonly connect: () => Promise<Connection>;
  readonly statistics: () => PoolStatistics;
  /** Waits for running queries (5 s at most), then closes every connection. */
  readonly close: () => Promise<void>;
};

export type DatabaseOptions = Partial<PoolLimits> & {
  /** Shown in `pg_stat_activity`. */
  applicationName?: string;
  /** The setting that connection errors name as the source of the address; default `DATABASE_URL`. */
  setting?: string;
  /** Called after each statement with its duration in milliseconds, whether it failed, and its error's code. */
  onQuery?: OnQuery;
};

/** A database at this address that connects on the first query; nothing is checked here. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { applicationName = "golden-path", setting: _, onQuery, ...limits } = options;
  const settings: ConnectionSettings = { url, applicationName };
  const pool = new ConnectionPool(settings, limits, onQuery);
  const db = drizzle(pool.client, { schema });
  return {
    db,
    reopen: (changes) => openDatabase(url, { ...options, ...changes }),
    connect: () => openConnection(settings),
    statistics: () => pool.statistics(),
    close: () => pool.close(),
  };
}

/**
 * As `openDatabase`, but first checks that the server responds, accepts the credentials and is
 * PostgreSQL 15 or newer. Throws an OperatorError of one sentence, without the password, if not.
 */
export async function connectDatabase(
  url: string,
  options: DatabaseOptions = {},
): Promise<Database> {
  let connection: Connection;
  try {
    connection = await openConnection({
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
  if (version < MIN_SERVER_VERSION * 10_000) {
    throw new OperatorError(
      `The database server is PostgreSQL ${Math.floor(version / 10_000)}, but this program needs PostgreSQL ${MIN_SERVER_VERSION} or newer.`,
    );
  }
  return openDatabase(url, options);
}

let current: Database | null = null;

/** Sets the database of the whole process; null clears it. */
export function setDatabase(database: Database | null): void {
  current = database;
}

/** True while a database is set. */
export function hasDatabase(): boolean {
  return current !== null;
}

/** The database of the process. Throws when none is set, which is a programming error. */
export function getDatabase(): Database {
  if (current === null) throw new Error("No database is open: call setDatabase() first.");
  return current;
}

/** Drizzle over the pool of the process, to run a query on. */
export const db = (): Database["db"] => getDatabase().db;

/** Returns the first row of a query; null if there is none. */
export async function firstRow<Row>(rows: PromiseLike<Row[]>): Promise<Row | null> {
  return (await rows)[0] ?? null;
}
