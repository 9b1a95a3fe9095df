import type { IncomingMessage, ServerResponse } from "node:http";
import { UPGRADE, type VisitorCounter } from "~/features/statistics/visitor-counter.server";
import { clientNetworks } from "~/http/client-network.server";
import { statusOf } from "~/observability/metrics.server";
import { clientAddress } from "./client-address.server";

/** An answered request: its path, the name of its page in the metrics, and whether the page came from the cache. */
type Answered = { path: string; page: string | undefined; isCached: boolean };

/**
 * Counts an answered request as a visit: a page that was shown, with or without JavaScript, or a click on the
 * upgrade button. Prefetches and parts of pages do not count.
 */
export function countVisit(
  visitors: VisitorCounter,
  request: IncomingMessage,
  response: ServerResponse,
  answered: Answered,
): void {
  const page = visitedPage(request, response, answered);
  const userAgent = request.headers["user-agent"];
  // the counter ignores programs; returning early saves parsing the address
  if (page === undefined || userAgent === undefined) return;
  visitors.count({
    page,
    client: clientNetworks(clientAddress(request)).narrow,
    userAgent,
  });
}

function visitedPage(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  { path, page, isCached }: Answered,
): string | undefined {
  // an answer from the cache may still be on its way
  const status = isCached ? response.statusCode : statusOf(response);
  if (method === "POST") {
    const isUpgrade = path === "/checkout" || path === "/checkout.data";
    return isUpgrade && status < 400 ? UPGRADE : undefined;
  }
  if (method !== "GET" || (status !== 200 && status !== 304)) return undefined;
  if (headers["sec-purpose"]?.includes("prefetch")) return undefined;
  const isShown =
    isCached ||
    path.endsWith(".data") ||
    String(response.getHeader("Content-Type")).startsWith("text/html");
  return isShown ? page : undefined;
}
