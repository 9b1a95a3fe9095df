/** Code of an error for a table that does not exist, as before its migration. */
export const UNDEFINED_TABLE = "42P01";

/** Failures of the connection or of the server as a whole, never of a single statement. */
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
  // Those of a Unix socket: the server is down, or its backlog is full.
  "SOCKET_ENOENT",
  "SOCKET_ECONNREFUSED",
  "SOCKET_EAGAIN",
  "SOCKET_EACCES",
  "TLS_REFUSED",
  "TLS_FAILED",
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
  "53100", // disk_full
  "53300", // too_many_connections
  "25006", // read_only_sql_transaction: a standby after a failover
  "WRONG_SERVER",
]);

/** Failures that say nothing about the connection's server as a whole. */
const OF_ONE_STATEMENT = new Set(["QUERY_TIMEOUT", "POOL_TIMEOUT", "53100", "53300"]);

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

/** None of several hosts is the wanted server. The code is that of the failure most likely to be temporary. */
export class NoServerFound extends ConnectionError {
  override name = "NoServerFound";
  constructor(readonly failures: { host: string; error: Error }[]) {
    const error =
      failures.find(({ error }) => isDatabaseUnavailable(error))?.error ?? failures[0]?.error;
    super(
      databaseErrorCode(error) ?? "CONNECTION_CLOSED",
      failures.map(({ host, error }) => `${host}: ${error.message}`).join("; "),
      { cause: error },
    );
  }
}

/** The SQLSTATE or system error code of a failed query, searched for along the chain of causes. */
export function databaseErrorCode(error: unknown): string | undefined {
  for (let cause = error, depth = 0; depth < 10; depth++) {
    if (typeof cause !== "object" || cause === null) return undefined;
    if ("code" in cause) return String(cause.code);
    cause = "cause" in cause ? cause.cause : undefined;
  }
  return undefined;
}

/** True when the database was unreachable, the connection was lost or none was free: a retry may succeed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code !== undefined && (UNAVAILABLE_CODES.has(code) || code.startsWith("08"));
}

/**
 * True when a statement's failure means that its server is gone, stopping or no longer the primary, so that other
 * connections to it are useless too.
 */
export function isServerLost(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !OF_ONE_STATEMENT.has(databaseErrorCode(error) ?? "");
}
