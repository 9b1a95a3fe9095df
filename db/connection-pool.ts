import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import type { Connection, ConnectionSettings, Parameter, Rows } from "./connection";
import { ConnectionError, databaseErrorCode, isServerLost } from "./database-errors";
import { splitHosts } from "./database-url";
import { drizzleClient, type Nest, type Send } from "./drizzle-client";
import { answeringHosts, openConnection } from "./open-connection";

const DEFAULT_LIMITS = {
  /** Maximum number of connections. */
  max: 10,
  /** Milliseconds a query waits for a free connection. */
  acquireTimeout: 10_000,
  /** Milliseconds a statement may run; null for no limit. */
  statementTimeout: 30_000 as number | null,
  /** Milliseconds a restarting server may refuse connections before queries fail. */
  restartTimeout: 2_000,
};

export type PoolLimits = typeof DEFAULT_LIMITS;

export type PoolStatistics = { open: number; idle: number; waiting: number };

/** Called after each statement, with its duration in milliseconds, whether it failed, and its error's code. */
export type OnQuery = (milliseconds: number, failed: boolean, code?: string) => void;

type Waiter = { take: (connection: Connection) => void; fail: (reason: Error) => void };

/** Milliseconds after which an idle connection is closed, and a free one replaced, so that failovers are noticed. */
const IDLE_TIMEOUT_MS = 60_000;
const LIFETIME_MS = 30 * 60_000;
/** Errors seen while a server restarts; WRONG_SERVER: of several hosts none is the primary yet. */
const RESTART_ERROR =
  /^(ECONNREFUSED|SOCKET_ECONNREFUSED|SOCKET_ENOENT|SOCKET_EAGAIN|57P03|ECONNRESET|CONNECTION_CLOSED|WRONG_SERVER)$/;
/** How often several hosts are asked which is the primary, and how long each may take to answer, in milliseconds. */
const PRIMARY_CHECK_MS = 2_000;
/** PostgreSQL's read_only_sql_transaction. */
const READ_ONLY = "25006";
const RESTART_RETRY_MS = 50;
const SERVER_DOWN_TIMEOUT_MS = 500;
/**
 * Statements with more parameters are not prepared: they are multi-row inserts whose text differs with
 * the number of rows, and every prepared statement costs the server memory.
 */
const MAX_PREPARED_PARAMETERS = 24;

/**
 * The connections of a process. Each statement or transaction has a connection to itself. Closed
 * connections are dropped and new ones opened on demand, so the pool recovers by itself as soon as
 * the server is back.
 */
export class ConnectionPool {
  /** The part of a postgres.js client that Drizzle uses. */
  readonly client: Sql;

  readonly #settings: ConnectionSettings;
  readonly #limits: PoolLimits;
  readonly #onQuery: OnQuery | undefined;
  readonly #open = new Set<Connection>();
  readonly #waiting = new Set<Waiter>();
  readonly #timers: NodeJS.Timeout[];
  #free: Connection[] = [];
  #opening = 0;
  #wasUsed = false;
  /** When the server began to refuse connections, and its last error; null while it accepts them. */
  #refusal: { since: number; error: Error } | null = null;
  #closing = false;

  constructor(settings: ConnectionSettings, limits: Partial<PoolLimits> = {}, onQuery?: OnQuery) {
    this.#settings = settings;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#onQuery = onQuery;
    this.#timers = [setInterval(() => this.#closeIdle(), IDLE_TIMEOUT_MS / 4)];
    if (splitHosts(settings.url).length > 1) {
      this.#timers.push(setInterval(() => void this.#checkPrimary(), PRIMARY_CHECK_MS));
    }
    for (const timer of this.#timers) timer.unref();
    this.client = drizzleClient(
      (...statement) => this.#query(...statement),
      (work) => this.#transaction(work),
    );
  }

  statistics(): PoolStatistics {
    return { open: this.#open.size, idle: this.#free.length, waiting: this.#waiting.size };
  }

  /**
   * Runs one statement on a connection of its own. A statement refused by a read-only server had no effect, so it is
   * sent again, once, to the primary. Any other failed statement is not repeated.
   */
  async #query(text: string, parameters: Parameter[], asArrays: boolean): Promise<Rows> {
    const again = [...parameters];
    const sendOnce = async (values: Parameter[]) => {
      const connection = await this.#acquire();
      try {
        return await this.#send(connection, text, values, asArrays);
      } finally {
        this.#release(connection);
      }
    };
    try {
      return await sendOnce(parameters);
    } catch (error) {
      if (databaseErrorCode(error) !== READ_ONLY) throw error;
      return await sendOnce(again);
    }
  }

  /**
   * Runs the work in a transaction: committed when it resolves, rolled back when it rejects. It is never repeated,
   * since a `commit` without an answer may have succeeded.
   */
  async #transaction<T>(work: (client: Sql) => Promise<T>): Promise<T> {
    const connection = await this.#begin();
    let isOver = false;
    const send: Send = (text, parameters, asArrays) => {
      // the connection may belong to another transaction by now
      if (isOver) return Promise.reject(new Error("This transaction is over."));
      return this.#send(connection, text, parameters, asArrays);
    };
    try {
      const result = await work(drizzleClient(send, savepoints(send)));
      isOver = true;
      const committed = await this.#send(connection, "commit");
      // The server turns COMMIT into ROLLBACK if a statement failed and the callback swallowed the error.
      if (committed.command === "ROLLBACK")
        throw new Error("A failed transaction cannot be committed.");
      return result;
    } catch (error) {
      isOver = true;
      if (connection.alive) {
        await this.#send(connection, "rollback").catch(() => connection.destroy());
      }
      throw error;
    } finally {
      this.#release(connection);
    }
  }

  /** A connection with an open transaction. One that turns out to be lost is replaced once: nothing was done on it. */
  async #begin(): Promise<Connection> {
    for (let attempt = 0; ; attempt++) {
      const connection = await this.#acquire();
      try {
        await this.#send(connection, "begin");
        return connection;
      } catch (error) {
        connection.destroy();
        if (attempt > 0 || !isServerLost(error) || this.#closing) throw error;
      }
    }
  }

  /** Sends a statement on a connection the caller holds. */
  async #send(
    connection: Connection,
    text: string,
    parameters: Parameter[] = [],
    asArrays = false,
  ): Promise<Rows> {
    const startedAt = performance.now();
    const isShort = parameters.length > 0 && parameters.length <= MAX_PREPARED_PARAMETERS;
    const prepare = isShort && !connection.isPooled;
    const timeout = this.#limits.statementTimeout;
    try {
      const rows = await connection.query(text, parameters, { prepare, asArrays, timeout });
      this.#onQuery?.(performance.now() - startedAt, false);
      return rows;
    } catch (error) {
      this.#onQuery?.(performance.now() - startedAt, true, databaseErrorCode(error));
      if (isServerLost(error)) connection.destroy();
      // the free connections are most likely dead too
      if (!connection.alive) for (const free of [...this.#free]) free.destroy();
      // Drizzle puts this array into the message of the error it throws, which must not contain email
      // addresses or password hashes.
      parameters.length = 0;
      throw error;
    }
  }

  /** Rejects new queries, waits up to 5 s for running ones, and closes every connection. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#failWaiting(poolClosed());
    const closed = [...this.#open].map(
      (connection) => new Promise<void>((resolve) => connection.onClose(resolve)),
    );
    for (const connection of this.#free.splice(0)) void connection.end();
    const timer = setTimeout(() => {
      for (const connection of this.#open) connection.destroy();
    }, 5_000);
    await Promise.all(closed);
    clearTimeout(timer);
  }

  /** A free connection: the one used last, so that under low load the others reach their idle timeout; or a new one. */
  async #acquire(): Promise<Connection> {
    this.#wasUsed = true;
    if (this.#closing) throw poolClosed();
    const free = this.#free.pop();
    if (free) return free;
    // Fail fast while the server is known to be down; a connection is still attempted meanwhile.
    const timeoutMs = this.#isServerDown() ? SERVER_DOWN_TIMEOUT_MS : this.#limits.acquireTimeout;
    return new Promise((take, fail) => {
      const waiter = { take, fail };
      this.#waiting.add(waiter);
      setTimeout(() => {
        if (!this.#waiting.delete(waiter)) return;
        const message = `No connection was free within ${timeoutMs} ms.`;
        fail(this.#refusal?.error ?? new ConnectionError("POOL_TIMEOUT", message));
      }, timeoutMs).unref();
      void this.#grow();
    });
  }

  #failWaiting(reason: Error): void {
    for (const { fail } of this.#waiting) fail(reason);
    this.#waiting.clear();
  }

  /** Opens another connection if a query waits for one and the pool is not full. */
  async #grow(): Promise<void> {
    if (this.#waiting.size <= this.#opening) return;
    if (this.#open.size + this.#opening >= this.#limits.max) return;
    this.#opening++;
    try {
      const connection = await this.#openOne();
      this.#opening--;
      this.#refusal = null;
      this.#open.add(connection);
      connection.onClose(() => {
        this.#open.delete(connection);
        this.#free = this.#free.filter((free) => free !== connection);
        void this.#grow();
      });
      this.#release(connection);
      void this.#grow();
    } catch (error) {
      this.#opening--;
      // While other connections are open, the waiters can still get one of those.
      if (this.#open.size === 0) this.#failWaiting(error as Error);
    }
  }

  async #openOne(): Promise<Connection> {
    for (;;) {
      try {
        return await openConnection(this.#settings);
      } catch (error) {
        this.#refusal = { since: this.#refusal?.since ?? Date.now(), error: error as Error };
        const isRestarting = RESTART_ERROR.test(databaseErrorCode(error) ?? "");
        if (!isRestarting || this.#isServerDown() || this.#closing) throw error;
        await sleep(RESTART_RETRY_MS);
      }
    }
  }

  /** True when the server has refused connections for longer than a restart takes. */
  #isServerDown(): boolean {
    if (this.#refusal === null || this.#open.size > 0) return false;
    return Date.now() - this.#refusal.since >= this.#limits.restartTimeout;
  }

  #release(connection: Connection): void {
    if (!connection.alive) return;
    const isOld = Date.now() - connection.openedAt > LIFETIME_MS;
    if (this.#closing || isOld) return void connection.end();
    const [waiter] = this.#waiting;
    if (!waiter) return void this.#free.push(connection);
    this.#waiting.delete(waiter);
    waiter.take(connection);
  }

  #closeIdle(): void {
    const oldest = Date.now() - IDLE_TIMEOUT_MS;
    const idle = this.#free.filter(({ usedAt }) => usedAt < oldest);
    this.#free = this.#free.filter((connection) => !idle.includes(connection));
    for (const connection of idle) void connection.end();
  }

  /**
   * Closes connections to a host that is silently no longer the primary: its machine is gone, or a pooler keeps them
   * open in front of a standby. Several hosts may be right, such as two poolers of one primary. If none is, running
   * queries find out by themselves.
   */
  async #checkPrimary(): Promise<void> {
    if (!this.#wasUsed || this.#open.size === 0) return;
    this.#wasUsed = false;
    const right = await answeringHosts(this.#settings, PRIMARY_CHECK_MS);
    if (right.length === 0) return;
    for (const connection of this.#open) {
      if (!right.includes(connection.settings.url)) connection.destroy();
    }
  }
}

/** The savepoints of a transaction, which its work can roll back to. */
function savepoints(send: Send): Nest {
  let count = 0;
  const nest: Nest = async (work) => {
    const name = `savepoint_${++count}`;
    await send(`savepoint ${name}`, [], false);
    try {
      const result = await work(drizzleClient(send, nest));
      await send(`release savepoint ${name}`, [], false);
      return result;
    } catch (error) {
      await send(`rollback to savepoint ${name}`, [], false);
      throw error;
    }
  };
  return nest;
}

function poolClosed(): ConnectionError {
  return new ConnectionError("CONNECTION_ENDED", "The database connections are closed.");
}
