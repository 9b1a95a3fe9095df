import { Connection, type ConnectionSettings, type Parameter, type Rows } from "./connection";
import { ConnectionError, databaseErrorCode } from "./database-errors";
import { PoolClient, TransactionClient, type UnsafeOptions } from "./drizzle-client";

export type PoolLimits = {
  /** Connections at most; default 10. */
  max: number;
  /** Milliseconds a query waits for a free connection; default 10,000. */
  acquireTimeout: number;
  /** Milliseconds a statement may run; null for no limit; default 30,000. */
  statementTimeout: number | null;
  /** Milliseconds after which an unused connection is closed; default 60,000. */
  idleTimeout: number;
  /** Milliseconds after which a connection is replaced when free, so that failovers are noticed; default 30 minutes. */
  maxLifetime: number;
  /** Milliseconds a server that was well may refuse connections (it restarts) before queries fail; default 2,000. */
  restartPatience: number;
};

export type PoolStatistics = { open: number; idle: number; waiting: number };

type Waiter = { take: (connection: Connection) => void; fail: (reason: Error) => void };

const DEFAULT_LIMITS: PoolLimits = {
  max: 10,
  acquireTimeout: 10_000,
  statementTimeout: 30_000,
  idleTimeout: 60_000,
  maxLifetime: 30 * 60_000,
  restartPatience: 2_000,
};

/** Answers of a server that is on its way up again. */
const RESTARTING = new Set([
  "ECONNREFUSED",
  "SOCKET_ECONNREFUSED",
  "SOCKET_ENOENT",
  "SOCKET_EAGAIN",
  "57P03",
  "ECONNRESET",
  "CONNECTION_CLOSED",
]);
const RESTART_RETRY = 50;
const AWAY_TIMEOUT_MS = 500;
/**
 * Statements with more parameters are not kept prepared: they are inserts of many rows, each number
 * of rows another text, and every text kept costs the server memory.
 */
const MAX_PREPARED_PARAMETERS = 24;

/**
 * Sessions shared by a process. One statement or one transaction has a session for itself. Sessions
 * that end are forgotten and new ones opened on demand, so a server that was away is used again as
 * soon as it is back, without anybody's help.
 */
export class ConnectionPool {
  /** What Drizzle's postgres.js session asks of its client, and no more. */
  readonly client: PoolClient;

  readonly #settings: ConnectionSettings;
  readonly #limits: PoolLimits;
  readonly #onQuery: ((milliseconds: number, failed: boolean) => void) | undefined;
  readonly #open = new Set<Connection>();
  readonly #waiting: Waiter[] = [];
  readonly #sweep: NodeJS.Timeout;
  #idle: { connection: Connection; since: number }[] = [];
  #opening = 0;
  /** When the server began to refuse, and what it said last; null while it is well. */
  #refusingSince: number | null = null;
  #lastFailure: Error | null = null;
  #closing = false;

  constructor(
    settings: ConnectionSettings,
    limits: Partial<PoolLimits> = {},
    onQuery?: (milliseconds: number, failed: boolean) => void,
  ) {
    this.#settings = settings;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#onQuery = onQuery;
    this.#sweep = setInterval(() => this.#closeIdle(), this.#limits.idleTimeout / 4);
    this.#sweep.unref();
    this.client = new PoolClient(this);
  }

  statistics(): PoolStatistics {
    return { open: this.#open.size, idle: this.#idle.length, waiting: this.#waiting.length };
  }

  /** Runs one statement on a session of its own. */
  async query(text: string, parameters: Parameter[], options: UnsafeOptions, asArrays: boolean) {
    const connection = this.#takeIdle() ?? (await this.#wait());
    try {
      return await this.send(connection, text, parameters, options, asArrays);
    } finally {
      this.#release(connection);
    }
  }

  /** Runs the work in a transaction: committed when it resolves, rolled back when it rejects. */
  async transaction<T>(work: (client: TransactionClient) => Promise<T>): Promise<T> {
    const connection = this.#takeIdle() ?? (await this.#wait());
    const client = new TransactionClient(this, connection);
    try {
      await this.send(connection, "begin", [], {}, false);
      const result = await work(client);
      client.finish();
      const ended = await this.send(connection, "commit", [], {}, false);
      // What the server answers when a statement failed and the work did not let on.
      if (ended.command === "ROLLBACK")
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

  /** Sends a statement on a session the caller holds. */
  async send(
    connection: Connection,
    text: string,
    parameters: Parameter[],
    options: UnsafeOptions,
    asArrays: boolean,
  ): Promise<Rows> {
    const startedAt = performance.now();
    let failed = true;
    try {
      const rows = await connection.query(text, parameters, {
        prepare:
          options.prepare === true ||
          (parameters.length > 0 && parameters.length <= MAX_PREPARED_PARAMETERS),
        asArrays,
        timeout: this.#limits.statementTimeout,
      });
      failed = false;
      return rows;
    } catch (error) {
      if (databaseErrorCode(error) === "QUERY_TIMEOUT" && !connection.alive) this.#distrustIdle();
      // Drizzle puts this very array into the message of the error it throws; people's addresses
      // and password hashes have no place there.
      parameters.length = 0;
      throw error;
    } finally {
      this.#onQuery?.(performance.now() - startedAt, failed);
    }
  }

  /** Refuses new work, waits up to 5 s for what runs, and closes every session. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    clearInterval(this.#sweep);
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
    // The session used last: the others grow old and are closed when there is little to do.
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
      // Nobody waits long for a server that is known to be away; whether it is back is tried meanwhile.
      const timeoutMs = this.#away() ? AWAY_TIMEOUT_MS : this.#limits.acquireTimeout;
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
        this.#refusingSince = null;
        this.#lastFailure = null;
        if (this.#closing) return connection.destroy();
        this.#open.add(connection);
        connection.onClose(() => this.#forget(connection));
        this.#release(connection);
        this.#grow();
      },
      (error: Error) => {
        this.#opening--;
        this.#lastFailure = error;
        // With sessions left the waiting have something to wait for; without, they have waited enough.
        if (this.#open.size > 0) return;
        for (const waiter of this.#waiting.splice(0)) waiter.fail(error);
      },
    );
  }

  async #openOne(): Promise<Connection> {
    for (;;) {
      try {
        return await Connection.open(this.#settings);
      } catch (error) {
        this.#refusingSince ??= Date.now();
        const restarting = RESTARTING.has(databaseErrorCode(error) ?? "");
        if (!restarting || this.#away() || this.#closing) throw error;
        await new Promise((resolve) => setTimeout(resolve, RESTART_RETRY));
      }
    }
  }

  /** True when the server refuses for longer than a restart takes. */
  #away(): boolean {
    if (this.#refusingSince === null || this.#open.size > 0) return false;
    return Date.now() - this.#refusingSince >= this.#limits.restartPatience;
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

  #forget(connection: Connection): void {
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

  /** After one session turned out to lead nowhere, those that lay idle beside it are not tried one by one. */
  #distrustIdle(): void {
    for (const { connection } of this.#idle.splice(0)) connection.destroy();
  }
}

function poolClosed(): ConnectionError {
  return new ConnectionError("CONNECTION_ENDED", "The database connections are closed.");
}
