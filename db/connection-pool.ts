import type { Connection, ConnectionSettings, Parameter, Rows } from "./connection";
import { ConnectionError, databaseErrorCode, isServerLost } from "./database-errors";
import { splitHosts } from "./database-url";
import { PoolClient, TransactionClient, type UnsafeOptions } from "./drizzle-client";
import { leadsWhereItShould, openConnection } from "./open-connection";

export type PoolLimits = {
  /** Maximum number of connections; default 10. */
  max: number;
  /** Milliseconds a query waits for a free connection; default 10,000. */
  acquireTimeout: number;
  /** Milliseconds a statement may run; null for no limit; default 30,000. */
  statementTimeout: number | null;
  /** Milliseconds after which an idle connection is closed; default 60,000. */
  idleTimeout: number;
  /** Milliseconds after which a free connection is replaced, so that failovers are noticed; default 30 minutes. */
  maxLifetime: number;
  /** Milliseconds a restarting server may refuse connections before queries fail; default 2,000. */
  restartTimeout: number;
};

export type PoolStatistics = { open: number; idle: number; waiting: number };

type Waiter = { take: (connection: Connection) => void; fail: (reason: Error) => void };

const DEFAULT_LIMITS: PoolLimits = {
  max: 10,
  acquireTimeout: 10_000,
  statementTimeout: 30_000,
  idleTimeout: 60_000,
  maxLifetime: 30 * 60_000,
  restartTimeout: 2_000,
};

/** Errors seen while a server restarts. */
const RESTART_ERROR_CODES = new Set([
  "ECONNREFUSED",
  "SOCKET_ECONNREFUSED",
  "SOCKET_ENOENT",
  "SOCKET_EAGAIN",
  "57P03",
  "ECONNRESET",
  "CONNECTION_CLOSED",
  // of several hosts none is the primary yet
  "WRONG_SERVER",
]);
/** How often, while there are several hosts and connections in use, it is asked which is the primary, in milliseconds. */
const PRIMARY_CHECK_MS = 2_000;
/** Milliseconds that a host with connections in use gets to answer a new one once another host is known to be right. */
const OTHER_HOST_MS = 2_000;
/** PostgreSQL's read_only_sql_transaction. */
const READ_ONLY = "25006";
const RESTART_RETRY_MS = 50;
const SERVER_DOWN_TIMEOUT_MS = 500;
/**
 * Statements with more parameters are not prepared: they are multi-row inserts whose text differs with
 * the number of rows, and every prepared statement costs the server memory.
 */
const MAX_PREPARED_PARAMETERS = 24;

/** What is called after each statement: its duration in milliseconds, whether it failed, and its error's code. */
export type OnQuery = (milliseconds: number, failed: boolean, code?: string) => void;

/**
 * The connections of a process. Each statement or transaction has a connection to itself. Closed
 * connections are dropped and new ones opened on demand, so the pool recovers by itself as soon as
 * the server is back.
 */
export class ConnectionPool {
  /** The subset of a postgres.js client that Drizzle's session uses. */
  readonly client: PoolClient;

  readonly #settings: ConnectionSettings;
  readonly #limits: PoolLimits;
  readonly #onQuery: OnQuery | undefined;
  readonly #open = new Set<Connection>();
  readonly #waiting: Waiter[] = [];
  readonly #sweep: NodeJS.Timeout;
  readonly #primaryCheck: NodeJS.Timeout | undefined;
  #isCheckingPrimary = false;
  #wasUsed = false;
  #idle: { connection: Connection; since: number }[] = [];
  #opening = 0;
  /** When the server began to refuse connections, and its last error; null while it accepts them. */
  #refusedSince: number | null = null;
  #lastFailure: Error | null = null;
  #closing = false;

  constructor(settings: ConnectionSettings, limits: Partial<PoolLimits> = {}, onQuery?: OnQuery) {
    this.#settings = settings;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#onQuery = onQuery;
    this.#sweep = setInterval(() => this.#closeIdle(), this.#limits.idleTimeout / 4);
    this.#sweep.unref();
    if (splitHosts(settings.url).length > 1) {
      this.#primaryCheck = setInterval(() => void this.#checkPrimary(), PRIMARY_CHECK_MS);
      this.#primaryCheck.unref();
    }
    this.client = new PoolClient(this);
  }

  statistics(): PoolStatistics {
    return { open: this.#open.size, idle: this.#idle.length, waiting: this.#waiting.length };
  }

  /**
   * Runs one statement on a connection of its own. One that a server refused because it is read-only has done nothing,
   * so it is sent again, once, to the primary; any other failed statement is not repeated.
   */
  async query(text: string, parameters: Parameter[], options: UnsafeOptions, asArrays: boolean) {
    const again = [...parameters];
    try {
      return await this.#queryOnce(text, parameters, options, asArrays);
    } catch (error) {
      if (databaseErrorCode(error) !== READ_ONLY) throw error;
      return await this.#queryOnce(text, again, options, asArrays);
    } finally {
      again.length = 0;
    }
  }

  async #queryOnce(
    text: string,
    parameters: Parameter[],
    options: UnsafeOptions,
    asArrays: boolean,
  ): Promise<Rows> {
    const connection = this.#takeIdle() ?? (await this.#wait());
    try {
      return await this.send(connection, text, parameters, options, asArrays);
    } finally {
      this.#release(connection);
    }
  }

  /**
   * Runs the work in a transaction: committed when it resolves, rolled back when it rejects. Never repeated: whether a
   * `commit` without an answer was done is not known.
   */
  async transaction<T>(work: (client: TransactionClient) => Promise<T>): Promise<T> {
    const connection = await this.#begin();
    const client = new TransactionClient(this, connection);
    try {
      const result = await work(client);
      client.finish();
      const committed = await this.send(connection, "commit", [], {}, false);
      // The server turns COMMIT into ROLLBACK if a statement failed and the callback swallowed the error.
      if (committed.command === "ROLLBACK")
        throw new Error("A failed transaction cannot be committed.");
      return result;
    } catch (error) {
      client.finish();
      if (connection.alive) {
        await this.send(connection, "rollback", [], {}, false).catch(() => connection.destroy());
      }
      throw error;
    } finally {
      this.#release(connection);
    }
  }

  /** A connection with an open transaction. One that turns out to be lost is replaced once: nothing was done on it. */
  async #begin(): Promise<Connection> {
    for (let attempt = 0; ; attempt++) {
      const connection = this.#takeIdle() ?? (await this.#wait());
      try {
        await this.send(connection, "begin", [], {}, false);
        return connection;
      } catch (error) {
        connection.destroy();
        if (attempt > 0 || !isServerLost(error) || this.#closing) throw error;
      }
    }
  }

  /** Sends a statement on a connection the caller holds. */
  async send(
    connection: Connection,
    text: string,
    parameters: Parameter[],
    options: UnsafeOptions,
    asArrays: boolean,
  ): Promise<Rows> {
    const startedAt = performance.now();
    let failed = true;
    let code: string | undefined;
    try {
      const rows = await connection.query(text, parameters, {
        prepare:
          !connection.isPooled &&
          (options.prepare === true ||
            (parameters.length > 0 && parameters.length <= MAX_PREPARED_PARAMETERS)),
        asArrays,
        timeout: this.#limits.statementTimeout,
      });
      failed = false;
      return rows;
    } catch (error) {
      code = databaseErrorCode(error);
      if (isServerLost(error)) connection.destroy();
      if (!connection.alive) this.#destroyIdle();
      // Drizzle puts this array into the message of the error it throws, which must not contain email
      // addresses or password hashes.
      parameters.length = 0;
      throw error;
    } finally {
      this.#onQuery?.(performance.now() - startedAt, failed, code);
    }
  }

  /** Rejects new queries, waits up to 5 s for running ones, and closes every connection. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    clearInterval(this.#sweep);
    clearInterval(this.#primaryCheck);
    for (const waiter of this.#waiting.splice(0)) waiter.fail(poolClosed());
    const idle = this.#idle.map(({ connection }) => connection.end());
    this.#idle = [];
    const finished = [...this.#open].map(
      (connection) => new Promise<void>((resolve) => connection.onClose(resolve)),
    );
    const timer = setTimeout(() => {
      for (const connection of this.#open) connection.destroy();
    }, 5_000);
    await Promise.all([...idle, ...finished]);
    clearTimeout(timer);
  }

  #takeIdle(): Connection | null {
    this.#wasUsed = true;
    // Most recently used first, so that under low load the others reach their idle timeout.
    const found = this.#idle.pop();
    return found?.connection ?? null;
  }

  #wait(): Promise<Connection> {
    if (this.#closing) return Promise.reject(poolClosed());
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        take: (connection) => {
          clearTimeout(timer);
          resolve(connection);
        },
        fail: (reason) => {
          clearTimeout(timer);
          reject(reason);
        },
      };
      // Fail fast while the server is known to be down; a connection is still attempted meanwhile.
      const timeoutMs = this.#isServerDown() ? SERVER_DOWN_TIMEOUT_MS : this.#limits.acquireTimeout;
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(
          this.#lastFailure ??
            new ConnectionError("POOL_TIMEOUT", `No connection was free within ${timeoutMs} ms.`),
        );
      }, timeoutMs);
      this.#waiting.push(waiter);
      this.#grow();
    });
  }

  #grow(): void {
    if (this.#waiting.length <= this.#opening) return;
    if (this.#open.size + this.#opening >= this.#limits.max) return;
    this.#opening++;
    this.#openOne().then(
      (connection) => {
        this.#opening--;
        this.#refusedSince = null;
        this.#lastFailure = null;
        if (this.#closing) return connection.destroy();
        this.#open.add(connection);
        connection.onClose(() => this.#remove(connection));
        this.#release(connection);
        this.#grow();
      },
      (error: Error) => {
        this.#opening--;
        this.#lastFailure = error;
        // While other connections are open, the waiters can still get one of those.
        if (this.#open.size > 0) return;
        for (const waiter of this.#waiting.splice(0)) waiter.fail(error);
      },
    );
  }

  async #openOne(): Promise<Connection> {
    for (;;) {
      try {
        return await openConnection(this.#settings);
      } catch (error) {
        this.#refusedSince ??= Date.now();
        const restarting = RESTART_ERROR_CODES.has(databaseErrorCode(error) ?? "");
        if (!restarting || this.#isServerDown() || this.#closing) throw error;
        await new Promise((resolve) => setTimeout(resolve, RESTART_RETRY_MS));
      }
    }
  }

  /** True when the server has refused connections for longer than a restart takes. */
  #isServerDown(): boolean {
    if (this.#refusedSince === null || this.#open.size > 0) return false;
    return Date.now() - this.#refusedSince >= this.#limits.restartTimeout;
  }

  #release(connection: Connection): void {
    if (!connection.alive) return;
    if (this.#closing || Date.now() - connection.openedAt > this.#limits.maxLifetime) {
      void connection.end();
      return;
    }
    const waiter = this.#waiting.shift();
    if (waiter) waiter.take(connection);
    else this.#idle.push({ connection, since: Date.now() });
  }

  #remove(connection: Connection): void {
    this.#open.delete(connection);
    this.#idle = this.#idle.filter((entry) => entry.connection !== connection);
    if (!this.#closing) this.#grow();
  }

  #closeIdle(): void {
    const oldest = Date.now() - this.#limits.idleTimeout;
    for (const { connection, since } of this.#idle) {
      if (since < oldest) {
        this.#idle = this.#idle.filter((entry) => entry.connection !== connection);
        void connection.end();
      }
    }
  }

  /**
   * Closes the connections to a host that is not the primary any more, and would not say so: its machine is gone
   * without a word, or a pooler keeps them open in front of what is a standby now. Several hosts may be the right one,
   * such as two poolers of one primary.
   */
  async #checkPrimary(): Promise<void> {
    if (!this.#wasUsed || this.#open.size === 0 || this.#isCheckingPrimary) return;
    this.#isCheckingPrimary = true;
    this.#wasUsed = false;
    try {
      const found = await openConnection(this.#settings);
      void found.end();
      const others = new Map([...this.#open].map((connection) => [connection.host, connection]));
      others.delete(found.host);
      await Promise.all(
        [...others].map(async ([host, one]) => {
          if (await leadsWhereItShould(one, OTHER_HOST_MS)) return;
          for (const connection of this.#open) if (connection.host === host) connection.destroy();
        }),
      );
    } catch {
      // there is none: what is being asked finds that out by itself
    } finally {
      this.#isCheckingPrimary = false;
    }
  }

  /** Called when one connection proved dead: the idle ones most likely are too, so none of them is tried. */
  #destroyIdle(): void {
    for (const { connection } of this.#idle.splice(0)) connection.destroy();
  }
}

function poolClosed(): ConnectionError {
  return new ConnectionError("CONNECTION_ENDED", "The database connections are closed.");
}
