import type { Connection, Parameter, Rows } from "./connection";

export type UnsafeOptions = { prepare?: boolean };

/** The part of the pool that the clients use. */
type Pool = {
  query(
    text: string,
    parameters: Parameter[],
    options: UnsafeOptions,
    asArrays: boolean,
  ): Promise<Rows>;
  send(
    connection: Connection,
    text: string,
    parameters: Parameter[],
    options: UnsafeOptions,
    asArrays: boolean,
  ): Promise<Rows>;
  transaction<T>(work: (client: TransactionClient) => Promise<T>): Promise<T>;
};

/** The part of a postgres.js client that Drizzle uses, backed by a pool. */
export class PoolClient {
  readonly options = { parsers: {}, serializers: {} };
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  unsafe(text: string, parameters: Parameter[] = [], options: UnsafeOptions = {}): PendingRows {
    return new PendingRows((asArrays) => this.#pool.query(text, parameters, options, asArrays));
  }

  begin<T>(work: (client: TransactionClient) => Promise<T>): Promise<T> {
    return this.#pool.transaction(work);
  }
}

/** The part of a postgres.js transaction that Drizzle uses, on one connection. */
export class TransactionClient {
  readonly options = { parsers: {}, serializers: {} };
  readonly #pool: Pool;
  readonly #connection: Connection;
  #savepoints = 0;
  #finished = false;

  constructor(pool: Pool, connection: Connection) {
    this.#pool = pool;
    this.#connection = connection;
  }

  /** Makes later statements of this transaction fail: its connection is about to be released. */
  finish(): void {
    this.#finished = true;
  }

  unsafe(text: string, parameters: Parameter[] = [], options: UnsafeOptions = {}): PendingRows {
    return new PendingRows((asArrays) => {
      if (this.#finished) return Promise.reject(new Error("This transaction is over."));
      return this.#pool.send(this.#connection, text, parameters, options, asArrays);
    });
  }

  async savepoint<T>(work: (client: TransactionClient) => Promise<T>): Promise<T> {
    const name = `savepoint_${++this.#savepoints}`;
    await this.unsafe(`savepoint ${name}`);
    try {
      const result = await work(this);
      await this.unsafe(`release savepoint ${name}`);
      return result;
    } catch (error) {
      await this.unsafe(`rollback to savepoint ${name}`);
      throw error;
    }
  }

  /** A transaction inside a transaction is a savepoint (Drizzle's migrator opens its own). */
  begin<T>(work: (client: TransactionClient) => Promise<T>): Promise<T> {
    return this.savepoint(work);
  }
}

/** Like postgres.js's pending query: sent when awaited; rows are objects or, after `values()`, arrays. */
class PendingRows implements PromiseLike<Rows> {
  readonly #send: (asArrays: boolean) => Promise<Rows>;
  #asArrays = false;

  constructor(send: (asArrays: boolean) => Promise<Rows>) {
    this.#send = send;
  }

  values(): this {
    this.#asArrays = true;
    return this;
  }

  // biome-ignore lint/suspicious/noThenProperty: a thenable is what Drizzle awaits
  then<A = Rows, B = never>(
    fulfilled?: ((rows: Rows) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#send(this.#asArrays).then(fulfilled, rejected);
  }
}
