import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import * as build from "@remix-run/dev/server-build";
import {
  type AppLoadContext,
  createRequestHandler,
  type RequestHandler,
  type ServerBuild,
} from "@remix-run/node";
import { env } from "~/env.server";
import { sessionCookieName } from "~/features/accounts/sessions.server";
import { onPublishedTextsChanged } from "~/features/library/published-texts.server";
import { onPriceOnSaleKnown } from "~/features/membership/price-on-sale.server";
import type { VisitorCounter } from "~/features/statistics/visitor-counter.server";
import { clientNetworks } from "~/http/client-network.server";
import { QueueFull } from "~/http/fair-queue.server";
import { fairTurn } from "~/http/fair-scheduling.server";
import { flashCookieName } from "~/http/flash.server";
import { IncomingRequest } from "~/http/incoming-request.server";
import { PageSlots } from "~/http/page-slots.server";
import type { RouteHandle } from "~/http/route-handle";
import { log } from "~/observability/log.server";
import { countRequest, exposeCaches, statusOf } from "~/observability/metrics.server";
import { startCompression } from "./answer-compression.server";
import { clientAddress, describeConnection } from "./client-address.server";
import { ownSite } from "./own-host.server";
import { PageCache } from "./page-cache.server";
import { countVisit } from "./page-visits.server";
import { randomText } from "./random-text.server";
import { mayRenderRejectedPage } from "./rejected-pages.server";
import type { Rejection } from "./rejection";
import { checkRequest } from "./request-guards.server";
import { normalizeRequestTarget } from "./request-host.server";
import { answerWithAction } from "./resource-action.server";
import { pagePolicy, setCommonHeaders } from "./response-headers.server";
import { RouteTable } from "./route-table.server";
import { sendAnswer } from "./send-answer.server";
import { sharedSeconds } from "./shared-seconds.server";
import { StaticFiles } from "./static-files.server";

const pageSlots = new PageSlots();

/**
 * Answers every request of the site, by the first of these that applies:
 *
 * 1. the guards, if they reject it (`request-guards`);
 * 2. the files of `public/`, from memory (`static-files`);
 * 3. the cache of pages that are the same for every anonymous visitor (`page-cache`);
 * 4. a plain 404 for any other path below `/build/`;
 * 5. Remix, scheduled fairly between networks (`fair-scheduling`), pages in a slot (`page-slots`); in its place the action of
 *    a resource route (`resource-action`).
 *
 * Pages that were shown are counted as visits. All but 2 and 3 are logged and counted with their durations. Any error
 * thrown here is logged and answered 500 without details.
 */
export function createSite(projectRoot: string, visitors: VisitorCounter): RequestListener {
  const { routes, entry } = build as unknown as ServerBuild;
  const { handleError = () => {} } = entry.module;
  const table = new RouteTable(routes);
  const remix = createRequestHandler(build as unknown as ServerBuild);
  const files = new StaticFiles(projectRoot);
  const origin = new URL(env().PUBLIC_URL);
  const pages = new PageCache({
    keyOf: (url) => table.cacheKeyOf(url),
    render: (url, request) => {
      const render = () => remix(new Request(new URL(url, origin)), { isDocument: true });
      // a parameter has any number of values, so these pages take a turn and a slot like any other
      return table.isFixed(pathOf(url)) ? render() : renderInTurn(request, render);
    },
    personalCookies: [sessionCookieName(), flashCookieName()],
    sharedSeconds,
    sendsEarlyHints: env().EARLY_HINTS,
  });
  onPriceOnSaleKnown(() => pages.clear());
  onPublishedTextsChanged(() => pages.clear());
  exposeCaches(pages.statistics, files.statistics);

  return (request, response) => {
    normalizeRequestTarget(request);
    const path = pathOf(request.url);
    try {
      const answering = answer(request, response, path);
      void answering?.catch((error: unknown) => sendFailure(response, path, error));
    } catch (error) {
      sendFailure(response, path, error);
    }
  };

  /** Answers what it can from memory, at once: a promise takes part of that time. */
  function answer(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<void> | undefined {
    const handle = table.handleOf(path);
    const rejection = checkRequest(request, path, handle);
    if (rejection) {
      prepareResponse(request, response, path, handle);
      send(response, rejection);
      return undefined;
    }
    if (files.answer(request, response, path)) return undefined;
    const page = pages.answer(request, response);
    if (page !== true) return answerRest(request, response, path, handle, page);
    countCachedPage(request, response, path, handle);
    return undefined;
  }

  async function answerRest(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    handle: RouteHandle,
    rendering: ReturnType<PageCache["answer"]>,
  ): Promise<void> {
    const startedAt = performance.now();
    const page = await rendering;
    if (page === true) return countCachedPage(request, response, path, handle);
    const prepared = prepareResponse(request, response, path, handle, startedAt);
    if (page) {
      startCompression(request, response);
      response.setHeaders(page.headers);
      response.writeHead(404).end(page.body);
      return;
    }
    // requested by pages of an earlier build; rendering the 404 page would waste time
    if (path.startsWith("/build/")) return send(response, { status: 404, message: "Not found." });
    await fairTurn(clientNetworks(prepared.address));
    if (response.destroyed) return;
    await answerWithRemix(remix, request, response, {
      ...prepared,
      handle,
      answerPost: postAnswererOf(request),
      startCompression: () => startCompression(request, response),
    });
  }

  function countCachedPage(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    { metricsName }: RouteHandle,
  ): void {
    countVisit(visitors, request, response, { path, page: metricsName, isCached: true });
  }

  /** What answers a post in Remix's place: a resource route's action; null for any other request. */
  function postAnswererOf({ method, url = "/" }: IncomingMessage): RequestHandler | null {
    const action = method === "POST" ? table.resourceActionOf(url) : null;
    return (
      action &&
      ((request, context = {}) => answerWithAction(action, { request, context }, handleError))
    );
  }

  /**
   * Sets the common headers and a request id on the response, and logs and counts it when it ends, with its
   * duration since `startedAt`. Returns the id, and the client's address.
   */
  function prepareResponse(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    { logLevel }: RouteHandle,
    startedAt = performance.now(),
  ): { requestId: string; address: string } {
    const requestId = randomUUID();
    // read now, since a closed socket no longer has its address
    const address = clientAddress(request);
    const { wide: network } = clientNetworks(address);
    response.once("close", () => {
      const pagePath = path.replace(/^\/_root\.data$/, "/").replace(/\.data$/, "");
      const route = table.handleOf(pagePath).metricsName;
      countVisit(visitors, request, response, { path, page: route, isCached: false });
      countRequest(request, response, route, (performance.now() - startedAt) / 1000);
      logRequest(request, response, { requestId, network, path, startedAt, level: logLevel });
    });
    setCommonHeaders(response);
    response.setHeader("X-Request-Id", requestId);
    return { requestId, address };
  }
}

/** Renders a page in a slot of the client's network; 503 if its queue is full. */
async function renderInTurn(
  request: IncomingMessage,
  render: () => Promise<Response>,
): Promise<Response> {
  const network = clientNetworks(clientAddress(request));
  await fairTurn(network);
  try {
    return await pageSlots.run(network, render);
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error;
    return new Response(null, { status: 503 });
  }
}

/**
 * Lets Remix answer: pages in a slot out of their network's share; posts, and routes with `pageSlot: false`,
 * at once. A URL that Remix cannot parse is answered 400, and a page whose network has no room in the queue
 * 503. Nothing is rendered for a client that has disconnected.
 */
async function answerWithRemix(
  remix: RequestHandler,
  incoming: IncomingMessage,
  response: ServerResponse,
  {
    requestId,
    address,
    handle,
    answerPost,
    startCompression,
  }: {
    requestId: string;
    /** The client's. */
    address: string;
    handle: RouteHandle;
    answerPost: RequestHandler | null;
    /** Compresses what is sent from now on, if it is worth it. */
    startCompression: () => void;
  },
): Promise<void> {
  // the guards have checked the origin; Remix would check again, by other rules, and answer 500
  delete incoming.headers.origin;
  delete incoming.headers["x-forwarded-host"];
  let request: Request;
  try {
    incoming.url = withoutDataParameter(incoming.url);
    request = new IncomingRequest(incoming, response, ownSite().protocol);
  } catch {
    return send(response, { status: 400, message: "The request's address cannot be read." });
  }
  const nonce = randomText();
  const context: AppLoadContext = {
    requestId,
    nonce,
    clientAddress: address,
    connection: () => describeConnection(incoming),
    isDocument: !pathOf(incoming.url).endsWith(".data"),
  };

  // posts have limits of their own
  const isPage = /^(GET|HEAD)$/.test(request.method) && handle.pageSlot !== false;
  const network = clientNetworks(context.clientAddress);
  // skip rendering if the client disconnected while queued
  const answerIfWanted = async () => {
    if (response.destroyed) return null;
    return (answerPost ?? remix)(request, context);
  };
  let answer: Response | null;
  try {
    answer = await (isPage
      ? pageSlots.run(network, (withSlotReleased) => {
          context.withSlotReleased = withSlotReleased;
          return answerIfWanted();
        })
      : answerIfWanted());
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error;
    return send(response, {
      status: 503,
      message: "The site is very busy. Please try again.",
      headers: { "Retry-After": "2" },
    });
  }
  if (!answer) return;
  if (context.rejectedForm && mayRenderRejectedPage(network)) {
    answer = await renderRejectedForm(remix, request, context);
  }
  if (answer.headers.get("Content-Type")?.startsWith("text/html")) {
    response.setHeader("Content-Security-Policy", pagePolicy([`'nonce-${nonce}'`]));
  }
  if (!answer.headers.has("Cache-Control")) {
    // with a cookie the page may be personal; any other response is not reused without revalidation
    const isPersonal = request.headers.has("Cookie");
    response.setHeader("Cache-Control", isPersonal ? "private, no-store" : "private, no-cache");
  }
  return sendAnswer(response, answer, startCompression);
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

function logRequest(
  { method }: IncomingMessage,
  response: ServerResponse,
  facts: {
    requestId: string;
    network: string;
    path: string;
    startedAt: number;
    level?: "debug";
  },
): void {
  const {
    requestId,
    network,
    path,
    startedAt,
    level = path.startsWith("/build/") ? "debug" : "info",
  } = facts;
  log()[level](
    {
      requestId,
      network,
      method,
      path,
      status: statusOf(response),
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
    },
    "request",
  );
}
