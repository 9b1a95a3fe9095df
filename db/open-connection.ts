import { Connection, type ConnectionSettings } from "./connection";
import { ConnectionError, databaseErrorCode, NoServerFound } from "./database-errors";
import { sslModeOf, wantedServers } from "./database-parameters";
import { endpointOf, splitHosts } from "./database-url";
import { tlsOptions } from "./tls";

/** Milliseconds until an attempt to connect fails: to the only host, and to one of several. */
const CONNECT_TIMEOUT_MS = { one: 5_000, several: 3_000 };

/** The last working host of each address with several; it is tried first. */
const lastHosts = new Map<string, string>();

/**
 * Connects and waits until the server accepts queries. Of several hosts it takes the first that satisfies
 * `target_session_attrs`, by default a writable one. `sslmode` decides whether each is tried with or without TLS.
 * Rejects with the socket's or the server's error, or NoServerFound for several hosts.
 */
export async function openConnection(settings: ConnectionSettings): Promise<Connection> {
  const last = lastHosts.get(settings.url);
  const urls = splitHosts(settings.url).toSorted((a, b) => Number(b === last) - Number(a === last));
  const { [urls.length > 1 ? "several" : "one"]: usual } = CONNECT_TIMEOUT_MS;
  const { connectTimeout = usual } = settings;
  let failures: { host: string; error: Error }[] = [];
  for (const wanted of wantedServers(settings.url)) {
    failures = [];
    for (const url of urls) {
      try {
        const connection = await openHost({ ...settings, url, connectTimeout }, wanted);
        if (urls.length > 1) lastHosts.set(settings.url, url);
        return connection;
      } catch (error) {
        failures.push({ host: hostName(url), error: error as Error });
      }
    }
  }
  throw failures.length > 1 ? new NoServerFound(failures) : failures[0]?.error;
}

/**
 * The addresses of the hosts that accept a connection within these milliseconds and are the wanted server. One of them
 * is tried first from now on.
 */
export async function answeringHosts(
  settings: ConnectionSettings,
  connectTimeout: number,
): Promise<string[]> {
  const answers = splitHosts(settings.url).map(async (url) => {
    const connection = await openConnection({ ...settings, url, connectTimeout }).catch(() => null);
    void connection?.end();
    return connection ? [url] : [];
  });
  const right = (await Promise.all(answers)).flat();
  const last = lastHosts.get(settings.url) ?? "";
  if (right[0] && !right.includes(last)) lastHosts.set(settings.url, right[0]);
  return right;
}

async function openHost(
  settings: ConnectionSettings & { connectTimeout: number },
  wanted: string,
): Promise<Connection> {
  let failure: unknown;
  for (const tls of tlsAttempts(settings.url)) {
    try {
      const connection = await Connection.connect(settings, tls);
      requireWanted(connection, wanted);
      return connection;
    } catch (error) {
      failure = error;
      if (!mayBeAboutTls(error)) break;
    }
  }
  throw failure;
}

/** The TLS options with which to try an address's one host, in order; null for no TLS. */
function tlsAttempts(url: string) {
  const endpoint = endpointOf(url);
  const mode = sslModeOf(url);
  // like libpq, no TLS on a Unix socket
  if ("path" in endpoint || mode === "disable") return [null];
  const tls = tlsOptions(url, endpoint.host);
  if (mode === "allow") return [null, tls];
  return mode === "prefer" ? [tls, null] : [tls];
}

/** Whether a refused or closed connection might succeed with TLS switched on or off. */
function mayBeAboutTls(error: unknown): boolean {
  return /^(28000|ECONNRESET|EPIPE|CONNECTION_CLOSED|TLS_.*)$/.test(databaseErrorCode(error) ?? "");
}

/** Ends a connection to an unwanted server, and throws an error that counts as the database being unavailable. */
function requireWanted(connection: Connection, wanted: string): void {
  const { isStandby, isReadOnly } = connection;
  const isWanted: Record<string, boolean> = {
    any: true,
    "read-write": !isStandby && !isReadOnly,
    "read-only": isStandby || isReadOnly,
    primary: !isStandby,
    standby: isStandby,
  };
  if (isWanted[wanted]) return;
  connection.destroy();
  const isWhat = isStandby
    ? "it is a standby, which is read-only"
    : isReadOnly
      ? "it is read-only (default_transaction_read_only)"
      : "it is a primary, and target_session_attrs asks for another";
  throw new ConnectionError("WRONG_SERVER", isWhat);
}

/** An address's one host as it is shown: `host:port`, or the path of a socket. */
export function hostName(url: string): string {
  const endpoint = endpointOf(url);
  if ("path" in endpoint) return endpoint.path;
  const { host, port } = endpoint;
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
