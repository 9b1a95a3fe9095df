import { databaseErrorCode, NoServerFound } from "./database-errors";
import { parseSocketAddress, socketPath } from "./database-url";

const NO_ANSWER = "no answer in time (a wrong host or port, or a firewall)";
const UNREACHABLE = "the host cannot be reached from here";
const CLOSED =
  "the server closed the connection during the handshake (is it PostgreSQL, does sslmode match, and does it accept the client's certificate?)";
const NO_SOCKET = "no server listens on that socket";

/** The causes of failures that need no more words than their code. */
const CAUSES: Record<string, string> = {
  ECONNREFUSED: "nothing listens there (connection refused)",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name cannot be resolved at the moment",
  CONNECT_TIMEOUT: NO_ANSWER,
  ETIMEDOUT: NO_ANSWER,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  CONNECTION_CLOSED: CLOSED,
  SOCKET_ENOENT: NO_SOCKET,
  SOCKET_ECONNREFUSED: NO_SOCKET,
  SOCKET_EACCES: "the user this program runs as may not use that socket",
  SOCKET_EAGAIN: "the server has too many pending connections",
  "3D000": "there is no such database on that server",
  "53300": "the server has no connection free",
  "57P03": "the server is starting up or shutting down",
};

/**
 * One sentence for the operator on why a database cannot be used: the address without the password,
 * the setting it comes from, and the cause in plain words.
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
  const message = error instanceof Error ? error.message : String(error);
  const detail = firstLine(message);
  const code = databaseErrorCode(error) ?? "";
  const user = `user '${userOf(url)}'`;
  switch (code) {
    case "28P01":
      return `the password of ${user} is wrong`;
    case "28000":
      return `the server rejects ${user} from this host (${detail})`;
    case "42501":
      return `${user} may not connect to that database`;
    case "WRONG_SERVER":
      return `${message}; this program needs the primary`;
    default:
      return CAUSES[code] ?? (detail || "unknown failure");
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
