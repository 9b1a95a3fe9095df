import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { constants } from "node:zlib";
import * as build from "@remix-run/dev/server-build";
import {
  type AppLoadContext,
  createRequestHandler,
  type RequestHandler,
  type ServerBuild,
} from "@remix-run/node";
import { createRequest, sendResponse } from "@remix-run/node-fetch-server";
import compression from "compression";
import { env } from "~/env.server";
import { destinationCookieName } from "~/features/accounts/destination-cookie.server";
import { sessionCookieName } from "~/features/accounts/sessions.server";
import { findAuthor } from "~/features/desk/author.server";
import { isDeskPath } from "~/features/desk/desk-paths";
import { onPublishedTextsChanged } from "~/features/library/published-texts.server";
import { readingCookieName } from "~/features/library/reading-settings.server";
import { onPriceOnSaleKnown } from "~/features/membership/price-on-sale.server";
import type { VisitorCounter } from "~/features/statistics/visitor-counter.server";
import { QueueFull } from "~/http/bounded-queue.server";
import { clientNetworks } from "~/http/client-network.server";
import { flashCookieName } from "~/http/flash.server";
import type { RouteHandle } from "~/http/route-handle";
import { log } from "~/observability/log.server";
import { countRequest, statusOf } from "~/observability/metrics.server";
import { clientAddress, describeConnection } from "./client-address.server";
import { ownSite } from "./own-host.server";
import { PageCache } from "./page-cache.server";
import { countVisit } from "./page-visits.server";
import type { Rejection } from "./rejection";
import { checkRequest } from "./request-guards.server";
import { normalizeRequestTarget } from "./request-host.server";
import { dropRest, receiveLast } from "./request-rest.server";
import { inNetworksTurn } from "./requests-in-progress.server";
import { pagePolicy, setCommonHeaders } from "./response-headers.server";
import { RouteTable } from "./route-table.server";
import { sharedSeconds } from "./shared-seconds.server";
import { StaticFiles } from "./static-files.server";

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants;

/** With brotli's default window of 4 MB, each answer would take 9 MB until it is sent. */
const compress = compression({
  brotli: { params: { [BROTLI_PARAM_QUALITY]: 4, [BROTLI_PARAM_LGWIN]: 16 } },
});

/**
 * Answers every request of the site, by the first of these that applies:
 *
 * 1. the guards, if they reject it (`request-guards`);
 * 2. the files of `public/` (`static-files`);
 * 3. the cache of pages that are the same for every anonymous visitor (`page-cache`);
 * 4. a plain 404 for any other path below `/build/`;
 * 5. Remix; pages in their network's turn (`requests-in-progress`).
 *
 * Pages that were shown are counted as visits. All but 2 and 3 are logged and counted with their durations. Any error
 * thrown here is logged and answered 500 without details.
 */
export function createSite(projectRoot: string, visitors: VisitorCounter): RequestListener {
  const serverBuild = build as unknown as ServerBuild;
  const table = new RouteTable(serverBuild.routes);
  const remix = createRequestHandler(withoutDesk(serverBuild));
  const remixWithDesk = createRequestHandler(serverBuild);
  const files = new StaticFiles(projectRoot);
  const origin = new URL(env().PUBLIC_URL);
  const pages = new PageCache({
    keyOf: (url) => table.cacheKeyOf(url),
    render: (url, request) =>
      inNetworksTurn(clientNetworks(clientAddress(request)), () =>
        remix(new Request(new URL(url, origin)), { isDocument: true }),
      ),
    personalCookies: [
      sessionCookieName(),
      flashCookieName(),
      readingCookieName(),
      destinationCookieName(),
    ],
    sharedSeconds,
    sendsEarlyHints: env().EARLY_HINTS,
  });
  onPriceOnSaleKnown(() => pages.clear());
  onPublishedTextsChanged(() => pages.clear());

  return (request, response) => {
    normalizeRequestTarget(request);
    const path = pathOf(request.url);
    dropRest(request, response);
    answer(request, response, path).catch((error: unknown) => sendFailure(response, path, error));
  };

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<void> {
    const startedAt = performance.now();
    const handle = table.handleOf(path);
    const rejection = checkRequest(request, path, handle);
    if (rejection) {
      prepareResponse(request, response, { path, handle, startedAt });
      await receiveLast(request);
      return send(response, rejection);
    }
    if (files.answer(request, response, path)) return;
    if (await pages.answer(request, response)) {
      const page = handle.metricsName;
      return countVisit(visitors, request, response, { path, page, isCached: true });
    }
    const prepared = prepareResponse(request, response, { path, handle, startedAt });
    // requested by pages of an earlier build; rendering the 404 page would waste time
    if (path.startsWith("/build/")) return send(response, { status: 404, message: "Not found." });
    compress(request as never, response as never, () => {});
    await answerWithRemix({ remix, remixWithDesk }, request, response, prepared);
  }

  /** Sets the common headers and a request id on the response, and logs and counts it when it ends. */
  function prepareResponse(
    request: IncomingMessage,
    response: ServerResponse,
    { path, handle, startedAt }: { path: string; handle: RouteHandle; startedAt: number },
  ): Prepared {
    const requestId = randomUUID();
    // read now, since a closed socket no longer has its address
    const address = clientAddress(request);
    const { wide: network } = clientNetworks(address);
    response.once("close", () => {
      const pagePath = path.replace(/^\/_root\.data$/, "/").replace(/\.data$/, "");
      const route = table.handleOf(pagePath).metricsName;
      countVisit(visitors, request, response, { path, page: route, isCached: false });
      countRequest(request, response, route, (performance.now() - startedAt) / 1000);
      const level = handle.logLevel ?? (path.startsWith("/build/") ? "debug" : "info");
      const ms = Math.round((performance.now() - startedAt) * 10) / 10;
      const status = statusOf(response);
      log()[level]({ requestId, network, method: request.method, path, status, ms }, "request");
    });
    setCommonHeaders(response, handle);
    response.setHeader("X-Request-Id", requestId);
    return { requestId, address, handle };
  }
}

/** Data about a request that is known before it is answered. */
type Prepared = { requestId: string; address: string; handle: RouteHandle };

/**
 * Returns the build without the routes of the author's desk: to all but authors its addresses are unknown ones, and are answered
 * by the same route.
 */
function withoutDesk(build: ServerBuild): ServerBuild {
  const withoutIt = <Routes extends object>(routes: Routes) =>
    Object.fromEntries(
      Object.entries(routes).filter(([id]) => !id.startsWith("routes/desk")),
    ) as Routes;
  const { routes, assets } = build;
  return {
    ...build,
    routes: withoutIt(routes),
    assets: { ...assets, routes: withoutIt(assets.routes) },
  };
}

/** Lets Remix answer: pages in their network's turn, anything else at once. The desk answers authors alone. */
async function answerWithRemix(
  { remix: publicRemix, remixWithDesk }: Record<"remix" | "remixWithDesk", RequestHandler>,
  incoming: IncomingMessage,
  response: ServerResponse,
  { requestId, address, handle }: Prepared,
): Promise<void> {
  incoming.url = withoutDataParameter(incoming.url);
  const request = createRequest(incoming, response, ownSite());
  // the guards have checked the origin; Remix would check again, by other rules, and answer 500
  request.headers.delete("Origin");
  request.headers.delete("X-Forwarded-Host");
  const nonce = randomBytes(16).toString("base64");
  const context: AppLoadContext = {
    requestId,
    nonce,
    clientAddress: address,
    connection: () => describeConnection(incoming),
    isDocument: !pathOf(incoming.url).endsWith(".data"),
  };
  const isDesk = isDeskPath(pathOf(incoming.url));
  const isAuthors = isDesk && (await findAuthor({ request, context })) !== null;
  const remix = isAuthors ? remixWithDesk : publicRemix;
  const isPreview = isAuthors && handle.frame === "preview";
  const frames = isPreview ? "framed" : isAuthors ? "framing" : "none";
  // that of the site which is rendered; another may have replaced it by the end
  const policy = pagePolicy([`'nonce-${nonce}'`], frames);
  const network = clientNetworks(address);
  // to others the desk's addresses are pages like any unknown one
  const takesTurn = handle.inTurn !== false || (isDesk && !isAuthors);
  const isPage = /^(GET|HEAD)$/.test(request.method) && takesTurn;
  // not the response's socket: a pipelined response has none yet
  const isGone = () => incoming.socket.destroyed;
  const render = async () => (isGone() ? null : remix(request, context));
  const renderForm = () => renderRejectedForm(remix, request, context);
  let answer: Response | null;
  try {
    answer = await (isPage ? inNetworksTurn(network, render) : render());
    if (context.rejectedForm) answer = await inNetworksTurn(network, renderForm);
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error;
    return send(response, {
      status: 503,
      message: "The site is very busy. Please try again.",
      headers: { "Retry-After": "2" },
    });
  }
  if (!answer || isGone()) return;
  if (answer.headers.get("Content-Type")?.startsWith("text/html")) {
    response.setHeader("Content-Security-Policy", policy);
    if (isPreview) response.setHeader("X-Frame-Options", "SAMEORIGIN");
  }
  if (!answer.headers.has("Cache-Control")) {
    // with a cookie the page may be personal; any other response is not reused without revalidation
    const isPersonal = request.headers.has("Cookie");
    response.setHeader("Cache-Control", isPersonal ? "private, no-store" : "private, no-cache");
  }
  // an unread body would block `receiveLast`
  if (!request.bodyUsed) await request.body?.cancel();
  await receiveLast(incoming);
  await sendResponse(response, answer);
}

/**
 * Renders the page a rejected form belongs to, with the toast that says why, under the rejection's status.
 */
async function renderRejectedForm(
  remix: RequestHandler,
  request: Request,
  { rejectedForm, ...rest }: AppLoadContext,
): Promise<Response> {
  const { page = "/", flashCookie = "", retryAfter = "60", status = 503 } = rejectedForm ?? {};
  const cookies = [request.headers.get("Cookie"), flashCookie.split(";")[0]].filter(Boolean);
  const rendered = await remix(
    new Request(new URL(page, request.url), {
      headers: { Cookie: cookies.join("; "), Accept: "text/html" },
      signal: request.signal,
    }),
    // a new context, because the viewer is cached by context
    rest,
  );
  const headers = new Headers(rendered.headers);
  headers.set("Retry-After", retryAfter);
  headers.set("Cache-Control", "no-store");
  return new Response(rendered.body, { status, headers });
}

function sendFailure(response: ServerResponse, path: string, error: unknown): void {
  log().error({ err: error, path }, "a request could not be answered");
  if (response.headersSent) response.destroy();
  else send(response, { status: 500, message: "Something went wrong." });
}

function send(response: ServerResponse, { status, message, headers = {} }: Rejection): void {
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "Cache-Control": "no-store",
    ...headers,
  });
  response.end(`${message}\n`);
}

/** Drops `_data`, by which Remix 1 requested data: Remix 2 answers such a request with a 500. */
function withoutDataParameter(url = "/"): string {
  const at = url.indexOf("?");
  const search = new URLSearchParams(at === -1 ? "" : url.slice(at));
  if (!search.has("_data")) return url;
  search.delete("_data");
  return `${url.slice(0, at)}?${search}`;
}

/** The path without the query, which can hold a secret, such as the token of a mailed link. */
function pathOf(url = "/"): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}
