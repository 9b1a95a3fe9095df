import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import postgres from "postgres";
import { ConnectionError } from "./database-errors";
import { saysPooled, serverParameters, sslModeOf } from "./database-parameters";
import { endpointOf, withoutEndpoint } from "./database-url";
import { explainTlsFailure } from "./tls";

/** Dates and JSON text pass through in PostgreSQL's text format, which Drizzle's columns parse and format. */
const TYPES = {
  date: {
    to: 1184,
    from: [1082, 1083, 1114, 1184, 1115, 1182, 1185, 1231],
    parse: (text: string) => text,
    serialize: (value: unknown) => (value instanceof Date ? value.toISOString() : value),
  },
  json: {
    to: 114,
    from: [114, 3802],
    parse: (text: string) => JSON.parse(text),
    serialize: (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value)),
  },
};

/**
 * The format of dates, whatever a server, a database or a role has set; otherwise day and month might be swapped. These
 * are startup parameters that PgBouncer knows. It does not know `bytea_output`, which the first statement sets.
 */
const VALUE_FORMATS = { DateStyle: "ISO, YMD", TimeZone: "UTC" };

/** Milliseconds a canceled statement may still take before its connection is destroyed. */
const CANCEL_TIMEOUT_MS = 2_000;
/** https://www.postgresql.org/docs/current/protocol-message-formats.html: CancelRequest and SSLRequest. */
const CANCEL_REQUEST_CODE = 80_877_102;
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

export type ConnectionSettings = {
  url: string;
  applicationName: string;
  /** Milliseconds until an attempt to connect fails; default 5,000, and 3,000 for each of several hosts. */
  connectTimeout?: number;
};

export type StatementOptions = {
  /** Use a named prepared statement, which the server reuses when the same text is sent again. */
  prepare?: boolean;
  /** Rows as arrays of column values instead of objects. */
  asArrays?: boolean;
  /** Milliseconds after which the statement is canceled; null, the default, for no limit. */
  timeout?: number | null;
};

export type Parameter = postgres.ParameterOrJSON<never>;
export type Rows = postgres.RowList<postgres.Row[]>;

type Types = Record<keyof typeof TYPES, postgres.PostgresType>;
/** The driver's own type leaves `socket` out, which its README describes. */
type DriverOptions = postgres.Options<Types> & { socket: () => Socket };

/**
 * One connection that never reconnects: once its socket closes, every running and later query fails
 * with a ConnectionError. It is a postgres.js client with `max: 1` that is discarded then. That driver (3.4.9) may hang
 * or throw outside any promise when it reuses a connection that died during a query or a transaction
 * (docs/decisions/0002-database-connections.md).
 */
export class Connection {
  readonly openedAt = Date.now();
  /** When its last statement ended. */
  usedAt = 0;
  /** With the address of its one host. */
  readonly settings: ConnectionSettings;
  /**
   * Whether a pooler such as PgBouncer is in between. It gives each transaction any server session, so session state
   * such as prepared statements cannot be relied on.
   */
  isPooled = false;
  /** In PostgreSQL's server_version_num format: 180004 is 18.4. */
  serverVersion = 0;
  isStandby = false;
  isReadOnly = false;

  readonly #sql: postgres.Sql<Record<keyof typeof TYPES, unknown>>;
  readonly #tls: ConnectionOptions | null;
  readonly #closeListeners = new Set<(reason: Error) => void>();
  #socket: Socket | null = null;
  #alive = true;
  #cancelKey: { pid: number; secret: number } | null = null;

  private constructor(settings: ConnectionSettings, tls: ConnectionOptions | null) {
    this.settings = settings;
    this.#tls = tls;
    const options: DriverOptions = {
      ...endpointOf(settings.url),
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      connect_timeout: 0,
      keep_alive: 10,
      fetch_types: false,
      types: TYPES,
      onnotice: () => {},
      connection: {
        application_name: settings.applicationName,
        ...VALUE_FORMATS,
        ...serverParameters(settings.url),
      },
      ssl: tls ?? false,
      socket: () => this.#openSocket(),
      onclose: () => this.destroy(),
    };
    this.#sql = postgres(withoutEndpoint(settings.url), options);
  }

  /**
   * Connects to an address with one host, and waits until that server accepts queries; null for no TLS. Rejects with the
   * socket's or the server's error after it has closed the connection.
   */
  static async connect(
    settings: ConnectionSettings & { connectTimeout: number },
    tls: ConnectionOptions | null,
  ): Promise<Connection> {
    const connection = new Connection(settings, tls);
    const { connectTimeout: timeout } = settings;
    const deadline = setTimeout(() => {
      const message = `The database server did not answer within ${timeout} ms.`;
      connection.destroy(new ConnectionError("CONNECT_TIMEOUT", message));
    }, timeout);
    try {
      await connection.#readServer();
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    } finally {
      clearTimeout(deadline);
    }
  }

  async #readServer(): Promise<void> {
    const rows = await this.query(
      `select current_setting('server_version_num')::int as version, pg_backend_pid() as pid,
        pg_is_in_recovery() as standby, current_setting('transaction_read_only')::boolean as read_only,
        set_config('bytea_output', 'hex', false)`,
    );
    const [row] = rows;
    this.isStandby = row?.standby === true;
    this.isReadOnly = row?.read_only === true;
    this.serverVersion = row?.version ?? 0;
    this.#cancelKey = rows.state;
    // PostgreSQL's cancel key names the session's process; a pooler invents its own
    this.isPooled = saysPooled(this.settings.url) ?? rows.state.pid !== row?.pid;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Calls the listener once, when the connection closes for whatever reason. */
  onClose(listener: () => void): void {
    this.#closeListeners.add(listener);
  }

  /**
   * Sends one statement. Its error never contains row or parameter values. After a QUERY_TIMEOUT or a lost connection,
   * the statement may still have been executed.
   */
  query(
    text: string,
    parameters: Parameter[] = [],
    { prepare = false, asArrays = false, timeout = null }: StatementOptions = {},
  ): Promise<Rows> {
    if (!this.#alive) return Promise.reject(closed());
    const statement = this.#sql.unsafe(text, parameters, { prepare });
    return new Promise((resolve, reject) => {
      let late: ConnectionError | null = null;
      const cancel = () => {
        const message = `The database did not finish a statement within ${timeout} ms.`;
        late = new ConnectionError("QUERY_TIMEOUT", message);
        this.#requestCancel().catch(() => {});
        // A server that does not respond to the cancel request is considered unreachable.
        timer = setTimeout(() => this.destroy(), CANCEL_TIMEOUT_MS);
      };
      let timer = timeout === null ? undefined : setTimeout(cancel, timeout);
      const settle = (answer: () => void) => {
        this.#closeListeners.delete(fail);
        clearTimeout(timer);
        this.usedAt = Date.now();
        // a commit canceled while it waits for a synchronous standby succeeds with only a warning
        if (late) reject(late);
        else answer();
      };
      const fail = (reason: Error) => settle(() => reject(this.#explain(redactValues(reason))));
      // the driver never settles a statement that it sends to a closing socket
      this.#closeListeners.add(fail);
      const rows = (asArrays ? statement.values() : statement) as unknown as Promise<Rows>;
      rows.then((rows) => settle(() => resolve(rows)), fail);
    });
  }

  /** The rows of a `COPY … TO STDOUT`, in chunks as they arrive; the server waits for a slow reader. */
  async *copyOut(text: string): AsyncGenerator<Buffer> {
    if (!this.#alive) throw closed();
    try {
      const rows: Readable = await this.#sql.unsafe(text).readable();
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
      const statement = this.#sql.unsafe(text);
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
    if (!this.#alive) return;
    const closing = new Promise<void>((resolve) => this.onClose(resolve));
    void this.#sql.end({ timeout: 1 });
    const timer = setTimeout(() => this.destroy(), 1_500);
    await closing;
    clearTimeout(timer);
  }

  /** Closes the connection at once; running queries fail with the reason. */
  destroy(reason: Error = closed()): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#socket?.destroy();
    for (const listener of [...this.#closeListeners]) listener(reason);
    this.#closeListeners.clear();
  }

  /** The driver's socket factory. A second call would be a reconnect. */
  #openSocket(): Socket {
    if (this.#socket !== null) {
      this.destroy();
      throw closed();
    }
    const socket = createConnection({ ...endpointOf(this.settings.url), noDelay: true });
    this.#socket = socket;
    socket.on("error", (error) => this.destroy(error));
    if (this.#tls) socket.once("data", (answer) => this.#checkOffersTls(answer));
    return socket;
  }

  /**
   * Ends the connection if the server does not agree to TLS, which the driver takes for granted. More than one byte
   * would be an attempt to pass off plain text as encrypted (CVE-2021-23222).
   */
  #checkOffersTls(answer: Buffer): void {
    if (answer.toString("latin1") === "S") return;
    const mode = sslModeOf(this.settings.url);
    const message = `the server offers no TLS, which sslmode=${mode} asks for`;
    this.destroy(new ConnectionError("TLS_REFUSED", message));
  }

  /** Marks a missing socket file as an unavailable server, as distinct from any other missing file, and explains TLS. */
  #explain(error: NodeJS.ErrnoException): Error {
    const endpoint = endpointOf(this.settings.url);
    if ("host" in endpoint || error.syscall !== "connect") return explainTlsFailure(error);
    return new ConnectionError(
      `SOCKET_${error.code}`,
      `The database's socket ${endpoint.path} cannot be used (${error.code}).`,
      { cause: error },
    );
  }

  /**
   * Asks the server to cancel the running statement, over a separate connection as the protocol requires. The driver's
   * own `cancel` ends the process if that connection fails.
   */
  async #requestCancel(): Promise<void> {
    if (this.#cancelKey === null) return;
    const request = Buffer.alloc(16);
    request.writeInt32BE(request.length, 0);
    request.writeInt32BE(CANCEL_REQUEST_CODE, 4);
    request.writeUInt32BE(this.#cancelKey.pid, 8);
    request.writeUInt32BE(this.#cancelKey.secret, 12);
    const socket = createConnection(endpointOf(this.settings.url));
    // the server closes it: PgBouncer (1.18) drops a request whose sender is gone before it is passed on
    socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy());
    socket.on("error", () => socket.destroy());
    if (this.#tls === null) {
      socket.write(request);
      return;
    }
    socket.write(SSL_REQUEST);
    await once(socket, "data");
    const encrypted = connectTls({ ...this.#tls, socket });
    encrypted.on("error", () => socket.destroy());
    encrypted.write(request);
  }
}

function closed(): ConnectionError {
  return new ConnectionError("CONNECTION_CLOSED", "The connection to the database is closed.");
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
