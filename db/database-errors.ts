/** Failures of the way to the server or of the server as a whole, never of one statement. */
const UNAVAILABLE_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "ENOTFOUND",
  "EAI_AGAIN",
  // those of a Unix socket: its server is away, or has more newcomers than it can greet
  "SOCKET_ENOENT",
  "SOCKET_ECONNREFUSED",
  "SOCKET_EAGAIN",
  "SOCKET_EACCES",
  "CONNECT_TIMEOUT",
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "POOL_TIMEOUT",
  "QUERY_TIMEOUT",
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "57P05", // idle_session_timeout
  "53300", // too_many_connections
  "25006", // read_only_sql_transaction: a standby after a failover
]);

/** A failure of the connection itself, with the code that says which. */
export class ConnectionError extends Error {
  override name = "ConnectionError";
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The SQLSTATE or system error code of a failed query, looked for through the chain of causes. */
export function databaseErrorCode(error: unknown): string | undefined {
  for (let cause = error, depth = 0; depth < 10; depth++) {
    if (typeof cause !== "object" || cause === null) return undefined;
    if ("code" in cause) return String(cause.code);
    cause = "cause" in cause ? cause.cause : undefined;
  }
  return undefined;
}

/** True when the database could not be reached, went away or had no connection free: worth trying later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code !== undefined && (UNAVAILABLE_CODES.has(code) || code.startsWith("08"));
}
