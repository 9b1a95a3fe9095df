import { databaseErrorCode, NoServerFound } from "./database-errors";
import { parseSocketAddress, socketPath } from "./database-url";

/**
 * One sentence for the operator on why a database cannot be used: where its address points (never the
 * password), which setting it comes from, and the cause in plain words.
 */
export function describeConnectionFailure(
  url: string,
  error: unknown,
  setting = "DATABASE_URL",
): string {
  return `Cannot use the database at ${withoutCredentials(url)} (${setting}): ${cause(url, error)}.`;
}

/** `host:port/database` of a PostgreSQL address, every host of several; or its Unix socket and database. */
export function withoutCredentials(url: string): string {
  const match = /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#]*)(?:\/([^?#]*))?/i.exec(url);
  const socket = parseSocketAddress(url);
  if (socket !== null) {
    return [socketPath(socket), ...(match?.[2] ? [decode(match[2])] : [])].join(", database ");
  }
  const hosts = (match?.[1] || "localhost")
    .split(",")
    .map((host) => (/:\d+$/.test(host) ? host : `${host}:5432`));
  const database = match?.[2];
  return database ? `${hosts.join(",")}/${decode(database)}` : hosts.join(",");
}

function cause(url: string, error: unknown): string {
  if (error instanceof NoServerFound) {
    return error.failures.map(({ host, error }) => `${host}: ${cause(url, error)}`).join("; ");
  }
  const user = userOf(url);
  const message = error instanceof Error ? error.message : String(error);
  const code = databaseErrorCode(error);
  switch (code) {
    case "ECONNREFUSED":
      return "nothing listens there (connection refused)";
    case "ENOTFOUND":
      return "the host name is unknown";
    case "EAI_AGAIN":
      return "the host name cannot be resolved at the moment";
    case "CONNECT_TIMEOUT":
    case "ETIMEDOUT":
      return "no answer in time (a wrong host or port, or a firewall)";
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return "the host cannot be reached from here";
    case "ECONNRESET":
    case "EPIPE":
    case "CONNECTION_CLOSED":
      return "the server closed the connection during the handshake (is it PostgreSQL, does sslmode match, and does it accept the client's certificate?)";
    case "SOCKET_ENOENT":
    case "SOCKET_ECONNREFUSED":
      return "no server listens on that socket";
    case "SOCKET_EACCES":
      return "the user this program runs as may not use that socket";
    case "SOCKET_EAGAIN":
      return "the server has too many pending connections";
    case "28P01":
      return `the password of user '${user}' is wrong`;
    case "28000":
      return `the server rejects user '${user}' from this host (${firstLine(message)})`;
    case "3D000":
      return "there is no such database on that server";
    case "42501":
      return `user '${user}' may not connect to that database`;
    case "53300":
      return "the server has no connection free";
    case "WRONG_SERVER":
      return `${message}; this program needs the primary`;
    case "57P03":
      return "the server is starting up or shutting down";
    default:
      return firstLine(message) || "unknown failure";
  }
}

function userOf(url: string): string {
  const match = /^[a-z]+:\/\/([^/?#@:]*)(?::[^/?#]*)?@/i.exec(url);
  return match?.[1] ? decode(match[1]) : "(none given)";
}

function firstLine(message: string): string {
  return (message.split("\n")[0] ?? "").replace(/\.+$/, "");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
