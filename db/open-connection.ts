import { Connection, type ConnectionSettings } from "./connection";
import { databaseErrorCode, NoServerFound } from "./database-errors";
import { parseSocketAddress, splitHosts } from "./database-url";
import { type WantedServer, wantedServers } from "./server-choice";
import { raceStaggered } from "./staggered-race";
import { readTlsSettings, type SslMode, type TlsSettings } from "./tls-settings";

/** Milliseconds after which the next of several hosts is tried as well. */
const NEXT_HOST_MS = 300;
/** Milliseconds until an attempt to connect fails: to the only host, and to one of several. */
const CONNECT_TIMEOUT_MS = { one: 5_000, several: 3_000 };

/** The host of several that settings led to last, which is tried first. */
const lastHosts = new WeakMap<ConnectionSettings, string>();

/**
 * Connects and waits until the server accepts queries. Of several hosts it is the first that is the server which
 * `target_session_attrs` asks for, by default one that can be written to; each is tried with and without TLS as its
 * `sslmode` says. Rejects with the socket's or the server's error, or NoServerFound for several hosts.
 */
export async function openConnection(settings: ConnectionSettings): Promise<Connection> {
  let failure: unknown;
  for (const wanted of wantedServers(settings.url)) {
    try {
      return await openOneOf(settings, wanted);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** Whether a connection's host takes another within these milliseconds, and still is the server that is wanted. */
export async function leadsWhereItShould(
  connection: Connection,
  timeout: number,
): Promise<boolean> {
  try {
    const another = await openConnection({ ...connection.settings, connectTimeout: timeout });
    await another.end();
    return true;
  } catch {
    return false;
  }
}

async function openOneOf(settings: ConnectionSettings, wanted: WantedServer): Promise<Connection> {
  const addresses = splitHosts(settings.url);
  const timeout =
    settings.connectTimeout ?? CONNECT_TIMEOUT_MS[addresses.length > 1 ? "several" : "one"];
  const open = (url: string) => openHost({ ...settings, url }, timeout, wanted);
  if (addresses.length === 1) return open(settings.url);
  const last = lastHosts.get(settings);
  const inOrder = addresses.toSorted((a, b) => Number(b === last) - Number(a === last));
  try {
    return await raceStaggered(
      inOrder.map((url) => async () => {
        const connection = await open(url);
        lastHosts.set(settings, url);
        return connection;
      }),
      NEXT_HOST_MS,
      (late) => late.destroy(),
    );
  } catch (errors) {
    throw new NoServerFound(
      (errors as Error[]).map((error, index) => ({ host: hostOf(inOrder[index] ?? ""), error })),
    );
  }
}

async function openHost(
  settings: ConnectionSettings,
  timeout: number,
  wanted: WantedServer,
): Promise<Connection> {
  let failure: unknown;
  for (const tls of attemptsOf(settings.url)) {
    try {
      return await Connection.connect(settings, { tls, timeout, wanted });
    } catch (error) {
      failure = error;
      if (!mayBeAboutTls(error)) break;
    }
  }
  throw failure;
}

/** An address's one host, as `host:port`. */
function hostOf(url: string): string {
  const host = /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#]*)/i.exec(url)?.[1] || "localhost";
  return /:\d+$/.test(host) ? host : `${host}:5432`;
}

/** How to connect to each host, in this order: with these settings of TLS, or null for without. */
function attemptsOf(url: string): (TlsSettings | null)[] {
  // like libpq, no TLS on a Unix socket
  if (parseSocketAddress(url) !== null) return [null];
  const tls = readTlsSettings(url);
  const orders: Partial<Record<SslMode, (TlsSettings | null)[]>> = {
    disable: [null],
    allow: [null, tls],
    prefer: [tls, null],
  };
  return orders[tls.mode] ?? [tls];
}

/** Whether a server might accept the same connection with TLS or without it: it ended the first, or refused it. */
function mayBeAboutTls(error: unknown): boolean {
  return /^(28000|ECONNRESET|EPIPE|CONNECTION_CLOSED|TLS_.*)$/.test(databaseErrorCode(error) ?? "");
}
