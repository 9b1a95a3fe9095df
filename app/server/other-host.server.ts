import type { IncomingMessage } from "node:http";
import { env } from "~/env.server";
import { isRemoteHost } from "~/environment/host-names";
import type { RouteHandle } from "~/http/route-handle";
import { log, redactAddresses } from "~/observability/log.server";
import { isAlias, ownSite } from "./own-host.server";
import type { Rejection } from "./rejection";
import { strictTransport } from "./response-headers.server";

/**
 * How long clients may cache a redirect from an alias, in seconds. It is limited, because cached redirects loop once an
 * operator swaps PUBLIC_URL and an alias.
 */
const REDIRECT_SECONDS = 3_600;

/** Longest Host that is shown in an answer or in the log, in characters. */
const MAX_SHOWN = 100;

/** How often the same rejected Host is logged at most, in milliseconds, and how many Hosts are logged in that time. */
const LOG_INTERVAL_MS = 3_600_000;
const MAX_LOGGED = 10;

/**
 * The answer to a request whose Host is not the site's own; null if it is handled all the same.
 *
 * Pages requested from an alias are redirected to the same path on PUBLIC_URL. Posts are not: browsers would send them
 * again as another site's, which is refused. Routes that other programs post to (`originCheck: false`) work under an
 * alias too, because those programs follow no redirects (RFC 8058, 3.1, forbids one for an unsubscription). Any other
 * Host is refused with 421. The answer and the log tell the operator what to change.
 */
export function answerOtherHost(
  request: IncomingMessage,
  { originCheck }: RouteHandle,
): Rejection | null {
  const { method = "GET", url = "/", headers } = request;
  const { host = "" } = headers;
  const { PUBLIC_URL } = env();
  if (isAlias(host)) {
    if (method === "GET" || method === "HEAD") return redirectTo(PUBLIC_URL, url);
    if (originCheck === false) return null;
    return {
      status: 421,
      message: `This site's address is ${PUBLIC_URL}, and nothing was saved. Open the page there, and send it again.`,
      headers: otherTransport(),
    };
  }
  const shown = showHost(host);
  const advice = adviceFor(host);
  logRejectedHost(shown, advice);
  return {
    status: 421,
    message: `This site is ${PUBLIC_URL}, but the request was for the host '${shown}'.\nIf you run this site: ${advice}`,
    headers: otherTransport(),
  };
}

/** HSTS_INCLUDE_SUBDOMAINS covers the subdomains of PUBLIC_URL only. */
const otherTransport = () => Object.fromEntries(strictTransport({ includeSubdomains: false }));

function redirectTo(publicUrl: string, url: string): Rejection {
  // Node decodes other bytes of a target as Latin-1
  const path = url.replace(/[^\x21-\x7e]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
  const location = `${publicUrl}${path}`;
  return {
    status: 308,
    message: `This page is at ${location}`,
    headers: {
      Location: location,
      "Cache-Control": `public, max-age=${REDIRECT_SECONDS}`,
      ...otherTransport(),
    },
  };
}

/** A Host header as it may be shown: printable ASCII, shortened, without an email address. */
function showHost(host: string): string {
  const printable = host.replace(
    /[^\x21-\x7e]|['"<>&`\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  const shown = redactAddresses(printable);
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
}

function adviceFor(host: string): string {
  const { host: ownHost } = ownSite();
  const variable = /:\d+$/.test(ownHost) ? "$http_host" : "$host";
  const passHost = `let the proxy pass the visitor's Host on (nginx: 'proxy_set_header Host ${variable};')`;
  // a proxy that does not pass the Host on sends the name by which it reaches this program
  return isRemoteHost(host.replace(/:\d+$/, ""))
    ? `if that name is the site's, add it to PUBLIC_ALIASES to redirect it, or set PUBLIC_URL to it; if visitors asked for another, ${passHost}.`
    : `${passHost}, or set PUBLIC_URL to the address that visitors use.`;
}

const logged = new Map<string, number>();

/** Anybody can send any Host, so what is logged is limited. */
function logRejectedHost(host: string, advice: string): void {
  const now = Date.now();
  for (const [name, at] of logged) if (now - at >= LOG_INTERVAL_MS) logged.delete(name);
  if (logged.has(host) || logged.size >= MAX_LOGGED) return;
  logged.set(host, now);
  const { PUBLIC_URL } = env();
  log().warn(
    { host, publicUrl: PUBLIC_URL },
    `a request was refused, because its Host is not that of PUBLIC_URL: ${advice} Logged at most once an hour for each Host.`,
  );
}
