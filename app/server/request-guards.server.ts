import type { IncomingMessage } from "node:http";
import type { RouteHandle } from "~/http/route-handle";
import { answerOtherHost } from "./other-host.server";
import { isOwnHost, ownSite } from "./own-host.server";
import type { Rejection } from "./rejection";
import { isRewrittenByUrl, repeatedHeader } from "./request-host.server";

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);

/** Browsers and proxies together send about thirty headers. */
const MAX_HEADERS = 100;

/** Longest path, in characters: the site's own have at most 80, and matching one takes time per segment. */
const MAX_PATH_LENGTH = 512;

/**
 * Longest URL with its query, in characters: the length RFC 9110 (4.1) recommends every server to support.
 */
const MAX_URL_LENGTH = 8_000;

/**
 * Checks every request before it is handled, in this order: the method; the number of headers; repeated headers that
 * affect interpretation; a well-formed URL with one spelling; the site's own host; and, for a request that may change
 * something, that it comes from the site's own pages. A route opts out of the last two in its handle. A link with
 * something stuck to its end is redirected. Returns null when the request passes.
 */
export function checkRequest(
  request: IncomingMessage,
  path: string,
  handle: RouteHandle = {},
): Rejection | null {
  const { hostCheck, originCheck } = handle;
  const method = request.method ?? "GET";
  if (method !== "GET" && !METHODS.has(method)) {
    return {
      status: 405,
      message: "This method is not supported.",
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
  // an absolute target is still here only if its host differs from the Host header
  if (!path.startsWith("/")) {
    return { status: 400, message: "The request's address and its Host differ." };
  }
  if (isRewrittenByUrl(path) || !isReadable(path)) {
    return { status: 400, message: "The request's address cannot be read." };
  }
  if (request.headers.host === undefined) {
    return { status: 400, message: "The request does not say which site it is for." };
  }
  if (hostCheck !== false && !isOwnHost(request.headers.host)) {
    const answer = answerOtherHost(request, handle);
    if (answer) return answer;
  }
  if (method === "GET" || method === "HEAD") {
    return request.url === path ? repairLink(path) : null;
  }
  if (originCheck !== false && !isFromOwnPage(request)) {
    return { status: 403, message: "This request comes from another site." };
  }
  return null;
}

/**
 * Redirects a link with a sentence's punctuation, a quote, a bracket or an invisible character stuck to its end, or with
 * an encoded question mark. No path of the site has these. Null for any other. What is stuck to a query is dropped by
 * the reader of its parameter.
 */
function repairLink(path: string): Rejection | null {
  const given = decodeURIComponent(path);
  const bare = given.replace(/(?:(?!\/)[\p{P}\p{S}\p{Z}\p{C}])+$/u, "");
  if (bare === given && !given.includes("?")) return null;
  // with two slashes it would lead to another site
  const location = encodeURI(`/${bare.replace(/^\/+/, "")}`);
  return {
    status: 302,
    message: "The link had more than its address.",
    headers: { Location: location },
  };
}

/**
 * Remix would match an undecodable path anyway, and print a long warning outside the log. An encoded backslash at the
 * beginning becomes `//` to the URL parser; followed by an invalid host, it would make the page fail.
 */
function isReadable(path: string): boolean {
  if (!path.includes("%")) return true;
  try {
    return URL.canParse(decodeURIComponent(path), "http://localhost");
  } catch {
    return false;
  }
}

/**
 * Browsers state a request's origin in Sec-Fetch-Site, older ones in Origin. A request with neither is not
 * from a browser, so its sender holds any cookies it carries; `none` is a request the user made outside any
 * page, such as a reload.
 */
function isFromOwnPage({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin, host = "" } = headers;
  if (origin === undefined) return true;
  if (!URL.canParse(origin) || !isOwnHost(host)) return false;
  // the host is known to be the site's own; a different port or scheme is a different origin
  const address = `${ownSite().protocol}//${host}`;
  return new URL(origin).origin === new URL(address).origin;
}
