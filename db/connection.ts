import { createConnection, Socket } from "node:net";
import postgres from "postgres";
import { ConnectionError } from "./database-errors";
import { parseSocketAddress, socketPath, withoutSocket } from "./database-url";

/** Dates travel as PostgreSQL's own text: Drizzle's columns read and write them. */
const DATE_TYPES = [1082, 1083, 1114, 1184, 1115, 1182, 1185, 1231];
const JSON_TYPES = [114, 3802];

/** How long a cancelled statement may still take before its connection is given up, in milliseconds. */
const CANCEL_TIMEOUT_MS = 2_000;
/** https://www.postgresql.org/docs/current/protocol-message-formats.html, CancelRequest. */
const CANCEL_REQUEST_CODE = 80_877_102;

export type ConnectionSettings = {
  url: string;
  applicationName: string;
  /** Milliseconds until an attempt to connect fails; default 5,000. */
  connectTimeout?: number;
};

export type StatementOptions = {
  /** Keep the parsed statement on the server for the next time the same text is sent. */
  prepare: boolean;
  /** Rows as arrays of column values instead of objects. */
  asArrays: boolean;
  /** Milliseconds after which the statement is cancelled; null waits for ever. */
  timeout: number | null;
};

export type Parameter = postgres.ParameterOrJSON<never>;
export type Rows = postgres.RowList<postgres.Row[]>;

type DriverOptions = postgres.Options<Record<string, never>> & { socket: () => Socket };
type CancelKey = { pid: number; secret: number };

/**
 * One session on the server, never reconnected: when its socket is gone, every running and later
 * query fails with a ConnectionError. It wraps a postgres.js client of a single connection, because
 * that driver (3.4.9) may hang or throw outside any promise when it reuses a connection that died
 * with a query or a transaction on it (docs/decisions/0002-database-connections.md).
 */
export class Connection {
  readonly openedAt = Date.now();
  readonly hostCount: number;
  /** As PostgreSQL counts: 180004 is 18.4. */
  serverVersion = 0;

  readonly #driver: postgres.Sql;
  readonly #address: { host: string; port: number } | { path: string };
  readonly #running = new Set<(reason: Error) => void>();
  readonly #closeListeners = new Set<() => void>();
  #socket: Socket | null = null;
  #alive = true;
  #ending = false;
  #cancelKey: CancelKey | null = null;

  private constructor(settings: ConnectionSettings, hostIndex: number) {
    const socketAddress = parseSocketAddress(settings.url);
    const options: DriverOptions = {
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      connect_timeout: 0,
      keep_alive: 10,
      fetch_types: false,
      onnotice: () => {},
      connection: { application_name: settings.applicationName },
      socket: () => this.#openSocket(),
      // as with libpq, nothing is encrypted that does not leave the machine
      ...(socketAddress && { path: socketPath(socketAddress), ssl: false }),
    };
    this.#driver = postgres(socketAddress ? withoutSocket(settings.url) : settings.url, options);
    const { host, port, path, parsers, serializers } = this.#driver.options;
    for (const type of DATE_TYPES) {
      parsers[type] = (text: string) => text;
      serializers[type] = (value: unknown) => (value instanceof Date ? value.toISOString() : value);
    }
    for (const type of JSON_TYPES) {
      serializers[type] = (value: unknown) =>
        typeof value === "string" ? value : JSON.stringify(value);
    }
    this.hostCount = path ? 1 : host.length;
    this.#address = path
      ? { path: String(path) }
      : { host: host[hostIndex] ?? "localhost", port: port[hostIndex] ?? 5432 };
  }

  /**
   * Opens a session and waits until the server takes queries; of several hosts in the address the
   * first that does. Rejects with what the socket or the (last) server said.
   */
  static async open(settings: ConnectionSettings): Promise<Connection> {
    for (let hostIndex = 0; ; hostIndex++) {
      const connection = new Connection(settings, hostIndex);
      try {
        await connection.#greet(settings.connectTimeout ?? 5_000);
        return connection;
      } catch (error) {
        connection.destroy();
        if (hostIndex + 1 >= connection.hostCount) throw error;
      }
    }
  }

  async #greet(timeout: number): Promise<void> {
    const late = new ConnectionError(
      "CONNECT_TIMEOUT",
      `The database server did not answer within ${timeout} ms.`,
    );
    const deadline = setTimeout(() => this.destroy(late), timeout);
    try {
      const rows = await this.query(
        "select current_setting('server_version_num')::int as version",
        [],
        { prepare: false, asArrays: false, timeout: null },
      );
      this.serverVersion = rows[0]?.version ?? 0;
      this.#cancelKey = rows.state as CancelKey | null;
    } finally {
      clearTimeout(deadline);
    }
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Runs the listener once, when the session is over for whatever reason. */
  onClose(listener: () => void): void {
    if (this.#alive) this.#closeListeners.add(listener);
    else queueMicrotask(listener);
  }

  /** Sends one statement. Its error never carries the row's or the parameters' values. */
  query(text: string, parameters: Parameter[], options: StatementOptions): Promise<Rows> {
    if (!this.#alive) return Promise.reject(closed());
    const statement = this.#driver.unsafe(text, parameters, { prepare: options.prepare });
    return new Promise((resolve, reject) => {
      let timedOut: ConnectionError | null = null;
      let timer: NodeJS.Timeout | undefined;
      const fail = (reason: Error) => {
        this.#running.delete(fail);
        clearTimeout(timer);
        reject(timedOut ?? withoutValues(reason));
      };
      const cancel = () => {
        timedOut = new ConnectionError(
          "QUERY_TIMEOUT",
          `The database did not finish a statement within ${options.timeout} ms.`,
        );
        this.#requestCancel();
        // A server that does not even stop when asked is a server that is gone.
        timer = setTimeout(() => this.destroy(), CANCEL_TIMEOUT_MS);
      };
      this.#running.add(fail);
      if (options.timeout !== null) timer = setTimeout(cancel, options.timeout);
      (options.asArrays ? (statement.values() as unknown as typeof statement) : statement).then(
        (rows) => {
          this.#running.delete(fail);
          clearTimeout(timer);
          resolve(rows);
        },
        fail,
      );
    });
  }

  /** Ends the session in good order: the server hears goodbye. */
  async end(): Promise<void> {
    if (!this.#alive || this.#ending) return;
    this.#ending = true;
    const over = new Promise<void>((resolve) => this.onClose(resolve));
    void this.#driver.end({ timeout: 1 });
    const timer = setTimeout(() => this.destroy(), 1_500);
    await over;
    clearTimeout(timer);
  }

  /** Ends the session at once; what runs fails with the reason. */
  destroy(reason: Error = closed()): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#socket?.destroy();
    for (const fail of [...this.#running]) fail(reason);
    for (const listener of this.#closeListeners) listener();
    this.#closeListeners.clear();
  }

  /** The driver's only way to a socket. A second one would be a reconnect, so it is born dead. */
  #openSocket(): Socket {
    if (this.#socket !== null || !this.#alive) return deadSocket();
    const socket = createConnection({ ...this.#address, noDelay: true });
    if ("host" in this.#address) {
      // postgres.js takes the name to verify in the server's certificate from here.
      Object.assign(socket, { host: this.#address.host });
    }
    socket.once("error", (error) => this.destroy(this.#explain(error)));
    socket.once("close", () => this.destroy());
    this.#socket = socket;
    return socket;
  }

  /** A missing socket file is a server that is away, and must not pass for any other missing file. */
  #explain(error: NodeJS.ErrnoException): Error {
    if ("host" in this.#address || error.syscall !== "connect") return error;
    return new ConnectionError(
      `SOCKET_${error.code}`,
      `The database's socket ${this.#address.path} cannot be used (${error.code}).`,
      { cause: error },
    );
  }

  /** Asks the server, over a connection of its own as the protocol wants it, to stop what runs here. */
  #requestCancel(): void {
    if (this.#cancelKey === null) return;
    const request = Buffer.alloc(16);
    request.writeInt32BE(request.length, 0);
    request.writeInt32BE(CANCEL_REQUEST_CODE, 4);
    request.writeUInt32BE(this.#cancelKey.pid, 8);
    request.writeUInt32BE(this.#cancelKey.secret, 12);
    const socket = createConnection(this.#address);
    socket.on("error", () => socket.destroy());
    socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy());
    socket.end(request);
  }
}

function closed(): ConnectionError {
  return new ConnectionError("CONNECTION_CLOSED", "The connection to the database is closed.");
}

function deadSocket(): Socket {
  const socket = new Socket();
  // Not before the driver, which awaits its socket, listens for the error.
  setImmediate(() => socket.destroy(closed()));
  return socket;
}

/** Takes out of a server's error what quotes rows (`Key (email)=(…) already exists`) or parameters. */
function withoutValues(error: Error): Error {
  for (const name of ["detail", "where", "internal_query"]) {
    if (name in error) Reflect.deleteProperty(error, name);
  }
  // The driver nails these two to the error; their contents are all that can be taken away.
  const { parameters, args } = error as { parameters?: unknown; args?: unknown };
  for (const values of [parameters, args]) if (Array.isArray(values)) values.length = 0;
  return error;
}
