import type { IncomingMessage } from "node:http";
import { env } from "~/env.server";
import type { RouteHandle } from "~/http/route-handle";
import { repeatedHeader } from "./request-host.server";

/** An answer to a request that goes no further. */
export type Refusal = { status: number; message: string; headers?: Record<string, string> };

/** Browsers and proxies send some thirty headers between them. */
const MAX_HEADERS = 100;

/** Longest path, in characters: the site's own have at most 80, and whoever takes one apart does so in steps. */
const MAX_PATH_LENGTH = 512;

/** Longest address with its query, in characters: what RFC 9110 (4.1) wants every server to take. */
const MAX_URL_LENGTH = 8_000;

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i;

/**
 * What every request must pass before it is answered, in this order: a method this site has; not too many
 * headers, and once only those that decide how it is read; an address that can be one of the site's; the
 * site's own name; and, if it would change something, that it comes from the site's own pages. From the last
 * two a route exempts itself by its handle. Null lets the request pass.
 */
export function refuse(
  request: IncomingMessage,
  path: string,
  { hostCheck, originCheck }: RouteHandle = {},
): Refusal | null {
  const method = request.method ?? "GET";
  if (!/^(GET|HEAD|POST|PUT|PATCH|DELETE)$/.test(method)) {
    return {
      status: 405,
      message: "This method is not possible here.",
      headers: { Allow: "GET, HEAD, POST" },
    };
  }
  if (request.rawHeaders.length > 2 * MAX_HEADERS) {
    return { status: 431, message: "The request has too many headers." };
  }
  const repeated = repeatedHeader(request);
  if (repeated) {
    return { status: 400, message: `The request has two headers of the name ${repeated}.` };
  }
  if (path.length > MAX_PATH_LENGTH || (request.url ?? "").length > MAX_URL_LENGTH) {
    return { status: 414, message: "The request's address is too long." };
  }
  // a target that names a host did not name the one of the Host header, or it would be a path by now
  if (!path.startsWith("/")) {
    return { status: 400, message: "The request's address and its Host differ." };
  }
  if (!isDecodable(path)) {
    return { status: 400, message: "The request's address cannot be read." };
  }
  if (request.headers.host === undefined) {
    return { status: 400, message: "The request does not say which site it is for." };
  }
  if (hostCheck !== false && !isOwnHost(request.headers.host)) {
    return { status: 421, message: "This site has another name." };
  }
  if (method !== "GET" && method !== "HEAD" && originCheck !== false && !isFromOwnPage(request)) {
    return { status: 403, message: "This request comes from another site." };
  }
  return null;
}

/** Remix would match such an address all the same, and complain about it at length outside the log. */
function isDecodable(path: string): boolean {
  if (!path.includes("%")) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

let own = { publicUrl: "", protocol: "", host: "", isLoopback: false };

function ownName(): typeof own {
  const { PUBLIC_URL } = env();
  if (own.publicUrl !== PUBLIC_URL) {
    const { protocol, host } = new URL(PUBLIC_URL);
    own = { publicUrl: PUBLIC_URL, protocol, host, isLoopback: LOOPBACK.test(host) };
  }
  return own;
}

function isOwnHost(host: string): boolean {
  const { protocol, host: ownHost, isLoopback } = ownName();
  if (host === ownHost) return true;
  // on one's own machine localhost goes by several names
  if (isLoopback && LOOPBACK.test(host)) return true;
  const address = `${protocol}//${host}`;
  // the case of a name and the port that goes without saying make no other site of it
  return /^[\w.:-]+$/.test(host) && URL.canParse(address) && new URL(address).host === ownHost;
}

/**
 * Browsers say where a request comes from: in Sec-Fetch-Site, older ones in Origin. A request with
 * neither is no browser's and carries no visitor's cookies unknown to its sender; one that its user made
 * without any page, such as by loading again, is called `none`.
 */
function isFromOwnPage({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin, host = "" } = headers;
  if (origin === undefined) return true;
  if (!URL.canParse(origin) || !isOwnHost(host)) return false;
  // the host was found to be the site's own; another port or scheme of it is another site
  const address = `${ownName().protocol}//${host}`;
  return new URL(origin).origin === new URL(address).origin;
}
