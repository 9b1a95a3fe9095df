import { createConnection, Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import postgres from "postgres";
import { ConnectionError } from "./database-errors";
import { parseSocketAddress, socketPath, withoutSocket } from "./database-url";
import { checkServer, saysPooled, type WantedServer } from "./server-choice";
import { encrypt, explainTlsFailure } from "./tls";
import { type TlsSettings, withoutOwnParameters } from "./tls-settings";

/** Dates are passed through as PostgreSQL's text format, which Drizzle's columns parse and format. */
const DATE_TYPES = [1082, 1083, 1114, 1184, 1115, 1182, 1185, 1231];
const JSON_TYPES = [114, 3802];

/**
 * How dates are written, whatever a server, a database or a role has set: otherwise a day and a month might be taken for each
 * other. A pooler has to know a parameter of the start; PgBouncer knows these two, and not `bytea_output`, which the first
 * statement sets.
 */
const VALUE_FORMATS = { DateStyle: "ISO, YMD", TimeZone: "UTC" };

/** Milliseconds a cancelled statement may still take before its connection is destroyed. */
const CANCEL_TIMEOUT_MS = 2_000;
/** https://www.postgresql.org/docs/current/protocol-message-formats.html, CancelRequest. */
const CANCEL_REQUEST_CODE = 80_877_102;

export type ConnectionSettings = {
  url: string;
  applicationName: string;
  /** Milliseconds until an attempt to connect fails; default 5,000, and 3,000 for each of several hosts. */
  connectTimeout?: number;
};

export type StatementOptions = {
  /** Use a named prepared statement, which the server reuses when the same text is sent again. */
  prepare: boolean;
  /** Rows as arrays of column values instead of objects. */
  asArrays: boolean;
  /** Milliseconds after which the statement is cancelled; null for no limit. */
  timeout: number | null;
};

export type Parameter = postgres.ParameterOrJSON<never>;
export type Rows = postgres.RowList<postgres.Row[]>;

type DriverOptions = postgres.Options<Record<string, never>> & {
  socket: () => Socket | Promise<Socket>;
};
type CancelKey = { pid: number; secret: number };

/**
 * One connection that never reconnects: once its socket closes, every running and later query fails
 * with a ConnectionError. It wraps a single-connection postgres.js client, because that driver (3.4.9)
 * may hang or throw outside any promise when it reuses a connection that died during a query or a
 * transaction (docs/decisions/0002-database-connections.md).
 */
export class Connection {
  readonly openedAt = Date.now();
  /** With the address of its one host. */
  readonly settings: ConnectionSettings;
  /** Which of several hosts it leads to, as `host:port`; a socket's path. */
  readonly host: string;
  /**
   * Whether a pooler such as PgBouncer is in between, which gives each transaction a server's session of its choice:
   * what lives in a session, such as a prepared statement, cannot be relied on.
   */
  isPooled = false;
  /** In PostgreSQL's server_version_num format: 180004 is 18.4. */
  serverVersion = 0;

  readonly #driver: postgres.Sql;
  readonly #address: { host: string; port: number } | { path: string };
  /** Null for a connection without TLS. */
  readonly #tls: TlsSettings | null;
  readonly #running = new Set<(reason: Error) => void>();
  readonly #closeListeners = new Set<() => void>();
  #socket: Socket | null = null;
  #alive = true;
  #ending = false;
  #cancelKey: CancelKey | null = null;

  /** To an address with one host. */
  private constructor(settings: ConnectionSettings, tls: TlsSettings | null) {
    this.settings = settings;
    const socketAddress = parseSocketAddress(settings.url);
    const url = withoutOwnParameters(settings.url);
    this.#tls = tls;
    const options: DriverOptions = {
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      connect_timeout: 0,
      keep_alive: 10,
      fetch_types: false,
      onnotice: () => {},
      connection: { application_name: settings.applicationName, ...VALUE_FORMATS },
      socket: () => this.#openSocket(),
      // The socket that the driver gets is encrypted already.
      ssl: false,
      ...(socketAddress && { path: socketPath(socketAddress) }),
    };
    this.#driver = postgres(socketAddress ? withoutSocket(url) : url, options);
    const { host, port, path, parsers, serializers } = this.#driver.options;
    for (const type of DATE_TYPES) {
      parsers[type] = (text: string) => text;
      serializers[type] = (value: unknown) => (value instanceof Date ? value.toISOString() : value);
    }
    for (const type of JSON_TYPES) {
      serializers[type] = (value: unknown) =>
        typeof value === "string" ? value : JSON.stringify(value);
    }
    this.#address = path
      ? { path: String(path) }
      : { host: host[0] ?? "localhost", port: port[0] ?? 5432 };
    this.host =
      "path" in this.#address ? this.#address.path : `${this.#address.host}:${this.#address.port}`;
  }

  /**
   * Connects to an address with one host, and waits until that server accepts queries; null for no TLS. Rejects with the
   * socket's or the server's error after it has closed the connection.
   */
  static async connect(
    settings: ConnectionSettings,
    { tls, timeout, wanted }: { tls: TlsSettings | null; timeout: number; wanted: WantedServer },
  ): Promise<Connection> {
    const connection = new Connection(settings, tls);
    try {
      await connection.#handshake(timeout, wanted);
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  async #handshake(timeout: number, wanted: WantedServer): Promise<void> {
    const timeoutError = new ConnectionError(
      "CONNECT_TIMEOUT",
      `The database server did not answer within ${timeout} ms.`,
    );
    const deadline = setTimeout(() => this.destroy(timeoutError), timeout);
    try {
      const rows = await this.query(
        `select current_setting('server_version_num')::int as version, pg_backend_pid() as pid,
          pg_is_in_recovery() as standby, current_setting('transaction_read_only')::boolean as read_only,
          set_config('bytea_output', 'hex', false)`,
        [],
        { prepare: false, asArrays: false, timeout: null },
      );
      const [row] = rows;
      checkServer(wanted, {
        isStandby: row?.standby === true,
        isReadOnly: row?.read_only === true,
      });
      this.serverVersion = row?.version ?? 0;
      this.#cancelKey = rows.state as CancelKey | null;
      // a pooler makes up its own key, which PostgreSQL makes of the session's process
      this.isPooled = saysPooled(this.settings.url) ?? this.#cancelKey?.pid !== row?.pid;
    } finally {
      clearTimeout(deadline);
    }
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Calls the listener once, when the connection has closed for whatever reason. */
  onClose(listener: () => void): void {
    if (this.#alive) this.#closeListeners.add(listener);
    else queueMicrotask(listener);
  }

  /**
   * Sends one statement. Its error never contains row or parameter values. One that rejects with QUERY_TIMEOUT may have
   * been done, as may one whose connection was lost.
   */
  query(text: string, parameters: Parameter[], options: StatementOptions): Promise<Rows> {
    if (!this.#alive) return Promise.reject(closed());
    const statement = this.#driver.unsafe(text, parameters, { prepare: options.prepare });
    return new Promise((resolve, reject) => {
      let timedOut: ConnectionError | null = null;
      let timer: NodeJS.Timeout | undefined;
      const fail = (reason: Error) => {
        this.#running.delete(fail);
        clearTimeout(timer);
        reject(timedOut ?? redactValues(reason));
      };
      const cancel = () => {
        timedOut = new ConnectionError(
          "QUERY_TIMEOUT",
          `The database did not finish a statement within ${options.timeout} ms.`,
        );
        this.#requestCancel();
        // A server that does not respond to the cancel request is considered unreachable.
        timer = setTimeout(() => this.destroy(), CANCEL_TIMEOUT_MS);
      };
      this.#running.add(fail);
      if (options.timeout !== null) timer = setTimeout(cancel, options.timeout);
      (options.asArrays ? (statement.values() as unknown as typeof statement) : statement).then(
        (rows) => {
          this.#running.delete(fail);
          clearTimeout(timer);
          // a commit that is cancelled while it waits for a synchronous standby succeeds with no more than a warning
          if (timedOut) reject(timedOut);
          else resolve(rows);
        },
        fail,
      );
    });
  }

  /** The rows that a `COPY … TO STDOUT` sends, in pieces as they arrive; the server waits for a slow reader. */
  async *copyOut(text: string): AsyncGenerator<Buffer> {
    if (!this.#alive) throw closed();
    try {
      const rows: Readable = await this.#driver.unsafe(text).readable();
      for await (const piece of rows) yield piece as Buffer;
      // postgres.js (3.4.9) leaves its socket paused if the last rows came faster than they were read
      rows._read(0);
    } catch (error) {
      throw redactValues(error as Error);
    }
  }

  /** Sends the rows of a `COPY … FROM STDIN`, no faster than the server takes them; resolves once all are stored. */
  async copyIn(text: string, rows: AsyncIterable<Uint8Array>): Promise<void> {
    if (!this.#alive) throw closed();
    try {
      const statement = this.#driver.unsafe(text);
      const sink: Writable = await statement.writable();
      // postgres.js (3.4.9) would wait forever for the answer to the last row if that is an error
      Object.assign(statement, { reject: (error: Error) => sink.destroy(error) });
      await pipeline(rows, sink);
    } catch (error) {
      throw redactValues(error as Error);
    }
  }

  /** Closes the connection gracefully, with a Terminate message to the server. */
  async end(): Promise<void> {
    if (!this.#alive || this.#ending) return;
    this.#ending = true;
    const closing = new Promise<void>((resolve) => this.onClose(resolve));
    void this.#driver.end({ timeout: 1 });
    const timer = setTimeout(() => this.destroy(), 1_500);
    await closing;
    clearTimeout(timer);
  }

  /** Closes the connection at once; running queries fail with the reason. */
  destroy(reason: Error = closed()): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#socket?.destroy();
    for (const fail of [...this.#running]) fail(reason);
    for (const listener of this.#closeListeners) listener();
    this.#closeListeners.clear();
  }

  /** The driver's socket factory. A second call would be a reconnect, so it gets a destroyed socket. */
  #openSocket(): Socket | Promise<Socket> {
    if (this.#socket !== null || !this.#alive) return destroyedSocket();
    const socket = createConnection({ ...this.#address, noDelay: true });
    socket.once("error", (error) => this.destroy(this.#explain(error)));
    socket.once("close", () => this.destroy());
    this.#socket = socket;
    return this.#tls && "host" in this.#address
      ? this.#encrypt(socket, this.#address.host, this.#tls)
      : socket;
  }

  async #encrypt(socket: Socket, host: string, tls: TlsSettings): Promise<Socket> {
    try {
      const encrypted = await encrypt(socket, host, tls);
      if (encrypted !== socket) {
        encrypted.once("error", (error) => this.destroy(explainTlsFailure(error)));
      }
      return encrypted;
    } catch (error) {
      this.destroy(error as Error);
      return destroyedSocket();
    }
  }

  /** Marks a missing socket file as an unavailable server, as distinct from any other missing file. */
  #explain(error: NodeJS.ErrnoException): Error {
    if ("host" in this.#address || error.syscall !== "connect") return error;
    return new ConnectionError(
      `SOCKET_${error.code}`,
      `The database's socket ${this.#address.path} cannot be used (${error.code}).`,
      { cause: error },
    );
  }

  /** Asks the server to cancel the running statement, over a separate connection as the protocol requires. */
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
    // the server closes it: PgBouncer (1.18) drops a request whose sender is gone before it is passed on
    if (this.#tls === null || !("host" in this.#address)) {
      socket.write(request);
      return;
    }
    encrypt(socket, this.#address.host, this.#tls).then(
      (encrypted) => {
        encrypted.on("error", () => socket.destroy());
        encrypted.write(request);
      },
      () => socket.destroy(),
    );
  }
}

function closed(): ConnectionError {
  return new ConnectionError("CONNECTION_CLOSED", "The connection to the database is closed.");
}

function destroyedSocket(): Socket {
  const socket = new Socket();
  // The driver awaits its socket first and only then listens for its error.
  setImmediate(() => socket.destroy(closed()));
  return socket;
}

/** Removes the parts of a server's error that quote rows (`Key (email)=(…) already exists`) or parameters. */
function redactValues(error: Error): Error {
  for (const name of ["detail", "where", "internal_query"]) {
    if (name in error) Reflect.deleteProperty(error, name);
  }
  // The driver makes these two properties non-configurable, so only their contents can be removed.
  const { parameters, args } = error as { parameters?: unknown; args?: unknown };
  for (const values of [parameters, args]) if (Array.isArray(values)) values.length = 0;
  return error;
}
