import { posix } from "node:path";

/** The folder and the port that make up the path of a server's Unix socket. */
export type SocketAddress = { host: string; port: number };

const DEFAULT_PORT = 5432;
const TARGET = "target_session_attrs";
/** Scheme, credentials, host and port, and the rest of a PostgreSQL address. */
const PARTS = /^([a-z]+:\/\/(?:[^/?#]*@)?)(\[[^\]]*\]|[^/?#:]*)((?::\d+)?)(.*)$/is;

/**
 * The Unix socket that a PostgreSQL address names in one of libpq's two ways, `postgres://%2Ffolder/db`
 * or `postgres://…/db?host=/folder`; null for one that names hosts.
 * https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
 */
export function parseSocketAddress(url: string): SocketAddress | null {
  const [, , host = "", port = "", rest = ""] = PARTS.exec(url) ?? [];
  const parameters = new URLSearchParams(rest.split("?")[1]);
  const folder = parameters.get("host") ?? (/^%2f/i.test(host) ? decodeURIComponent(host) : null);
  if (!folder?.startsWith("/")) return null;
  return { host: folder, port: Number(parameters.get("port") ?? port.slice(1)) || DEFAULT_PORT };
}

/**
 * One address per host of an address with several, in libpq's form `postgres://u:p@one:5432,two/db`. An address of one
 * host, or of a socket, is returned unchanged.
 * https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS
 */
export function splitHosts(url: string): string[] {
  const [, before = "", hosts = "", rest = ""] =
    /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (!hosts.includes(",")) return [url];
  return hosts.split(",").map((host) => `${before}${host}${rest}`);
}

/** An address for psql and other programs built on libpq, which with several hosts look for the primary. */
export function forLibpq(url: string): string {
  const [address = "", query] = url.split("?");
  const parameters = new URLSearchParams(query);
  const isKnown = !parameters.has("pgbouncer");
  if (isKnown && (splitHosts(url).length === 1 || parameters.has(TARGET))) return url;
  parameters.delete("pgbouncer");
  if (splitHosts(url).length > 1 && !parameters.has(TARGET)) parameters.set(TARGET, "read-write");
  // libpq does not decode a plus as a space
  const text = parameters.toString().replaceAll("+", "%20");
  return text ? `${address}?${text}` : address;
}

/** The path of a server's socket file in its folder. */
export function socketPath({ host, port }: SocketAddress): string {
  return posix.join(host, `.s.PGSQL.${port}`);
}

/** The endpoint of an address with one host or a socket, as the driver and `net.connect` take it. */
export function endpointOf(url: string): { host: string; port: number } | { path: string } {
  const socket = parseSocketAddress(url);
  if (socket) return { path: socketPath(socket) };
  const [, , host = "", port = ""] = PARTS.exec(url) ?? [];
  return {
    host: decodeURIComponent(host.replace(/^\[|\]$/g, "")) || "localhost",
    port: Number(port.slice(1)) || DEFAULT_PORT,
  };
}

/**
 * The same address without its host and parameters, which the driver gets as options: postgres.js (3.4.9) can read
 * neither sockets nor IPv6 from an address.
 */
export function withoutEndpoint(url: string): string {
  const [, before = "", , , rest = ""] = PARTS.exec(url) ?? [];
  return `${before}localhost${rest.split(/[?#]/)[0]}`;
}

/** The address of a database for a role, on a host or, if it begins with `/`, on the socket in that folder. */
export function formatDatabaseUrl(
  { host, port }: SocketAddress,
  role: { name: string; password: string },
  database: string,
  parameters: Record<string, string> = {},
): string {
  const query = new URLSearchParams(parameters);
  return `postgres://${role.name}:${encodeURIComponent(role.password)}@${encodeURIComponent(host)}:${port}/${database}?${query}`;
}

/**
 * A database's address without passwords, which every user of the machine could read in the list of processes, and the
 * role's password or null. The password of a client's key is dropped; psql asks for it.
 */
export function separatePassword(url: string): { address: string; password: string | null } {
  const [whole = "", before = "", password = ""] =
    /^([a-z]+:\/\/[^/?#:@]*):([^/?#]*)@/i.exec(url) ?? [];
  const address = whole ? `${before}@${url.slice(whole.length)}` : url;
  return {
    address: address.replace(/([?&])sslpassword=[^&#]*&?/, "$1").replace(/[?&]$/, ""),
    password: whole ? decodeURIComponent(password) : null,
  };
}
