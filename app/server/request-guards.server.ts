import type { IncomingMessage } from "node:http";
import { env } from "~/env.server";

/** An answer to a request that goes no further. */
export type Refusal = { status: number; message: string; headers?: Record<string, string> };

/** Asked by health checks, scrapers and the sandbox under whatever name they know the machine by. */
const NAMELESS_PATHS = new Set(["/healthz", "/readyz", "/metrics", "/webhooks/stripe"]);

/** Posted to by programs elsewhere, which prove themselves in other ways: a signature, a token. */
const FOREIGN_POSTS = new Set(["/webhooks/stripe", "/newsletter/unsubscribe"]);

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i;

/**
 * What every request must pass before anything is done for it: a method this site has, the site's own
 * name, and, if it would change something, that it comes from the site's own pages. Null lets it pass.
 */
export function refuse(request: IncomingMessage, path: string): Refusal | null {
  const method = request.method ?? "GET";
  if (!/^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method)) {
    return {
      status: 405,
      message: "This method is not possible here.",
      headers: { Allow: "GET, HEAD, POST" },
    };
  }
  if (!NAMELESS_PATHS.has(path) && !isOwnHost(request.headers.host)) {
    return { status: 421, message: "This site has another name." };
  }
  if (
    method !== "GET" &&
    method !== "HEAD" &&
    !FOREIGN_POSTS.has(path) &&
    !isFromOwnPage(request)
  ) {
    return { status: 403, message: "This request comes from another site." };
  }
  return null;
}

function isOwnHost(host: string | undefined): boolean {
  if (host === undefined) return false;
  const own = new URL(env().PUBLIC_URL).host;
  if (host.toLowerCase() === own) return true;
  // on one's own machine localhost goes by several names
  return LOOPBACK.test(own) && LOOPBACK.test(host);
}

/**
 * Browsers say where a request comes from: in Sec-Fetch-Site, older ones in Origin. A request with
 * neither is no browser's and carries no visitor's cookies unknown to its sender.
 */
function isFromOwnPage({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  const { origin } = headers;
  if (origin === undefined) return true;
  return URL.canParse(origin) && isOwnHost(new URL(origin).host);
}

/**
 * The address a request came from: the socket's, or with TRUST_PROXY=n the one the n-th proxy from here
 * reported. What a client writes into X-Forwarded-For itself stands further left and is not believed.
 */
export function clientAddress(request: IncomingMessage): string {
  const socket = request.socket.remoteAddress ?? "unknown";
  const hops = env().TRUST_PROXY;
  if (hops === 0) return socket;
  const header = request.headers["x-forwarded-for"];
  const forwarded = [header ?? ""]
    .flat()
    .join(",")
    .split(",")
    .map((part) => part.trim());
  return forwarded.at(-hops) || socket;
}
