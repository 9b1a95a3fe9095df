import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
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
import { sessionCookieName } from "~/features/accounts/sessions.server";
import { onPriceOnSaleKnown } from "~/features/membership/price-on-sale.server";
import { clientNetworks } from "~/http/client-network.server";
import { QueueFull } from "~/http/fair-queue.server";
import { fairTurn } from "~/http/fair-scheduling.server";
import { flashCookieName } from "~/http/flash.server";
import { PageSlots } from "~/http/page-slots.server";
import type { RouteHandle } from "~/http/route-handle";
import { log } from "~/observability/log.server";
import { countRequest, exposeCaches, statusOf } from "~/observability/metrics.server";
import { clientAddress } from "./client-address.server";
import { PageCache } from "./page-cache.server";
import { mayRenderRefusedPage } from "./refused-pages.server";
import { type Refusal, refuse } from "./request-guards.server";
import { takeOriginForm } from "./request-host.server";
import { pagePolicy, setCommonHeaders } from "./response-headers.server";
import { RouteTable } from "./route-table.server";
import { StaticFiles } from "./static-files.server";

const pageSlots = new PageSlots();

/** An answer that could not be given is given at once, but an upload that goes on is not waited for. */
const LINGER_MS = 1_000;

/**
 * Answers every request of the site, by the first of these that has an answer:
 *
 * 1. the guards, which refuse it (`request-guards`);
 * 2. the files of `public/`, from memory (`static-files`);
 * 3. the cache of pages that are the same for every anonymous visitor (`page-cache`);
 * 4. a plain 404 for any other file below `/build/`;
 * 5. Remix, when it is the network's turn (`fair-scheduling`), and for a page in a slot (`page-slots`).
 *
 * All but 2 and 3 are logged and counted with their durations. Whatever is thrown on the way is logged and
 * answered 500 without a word of why.
 */
export function createSite(projectRoot: string): RequestListener {
  const { routes } = build as unknown as ServerBuild;
  const table = new RouteTable(routes);
  const remix = createRequestHandler(build as unknown as ServerBuild);
  const files = new StaticFiles(projectRoot);
  const compress = compression();
  const origin = new URL(env().PUBLIC_URL);
  const pages = new PageCache({
    keyOf: (url) => table.cacheKeyOf(url),
    render: (url) => remix(new Request(new URL(url, origin)), {} satisfies AppLoadContext),
    personalCookies: [sessionCookieName(), flashCookieName()],
  });
  onPriceOnSaleKnown(() => pages.clear());
  exposeCaches(pages.statistics, files.statistics);

  return (request, response) => {
    takeOriginForm(request);
    const path = pathOf(request.url);
    void answer(request, response, path).catch((error: unknown) => {
      log().error({ err: error, path }, "a request could not be answered");
      if (response.headersSent) response.destroy();
      else send(response, { status: 500, message: "Something went wrong." });
    });
  };

  async function answer(request: IncomingMessage, response: ServerResponse, path: string) {
    const handle = table.handleOf(path);
    const refusal = refuse(request, path, handle);
    if (refusal) {
      prepareResponse(request, response, path, handle);
      return send(response, refusal);
    }
    if (files.answer(request, response, path)) return;
    if (await pages.answer(request, response)) return;

    const requestId = prepareResponse(request, response, path, handle);
    // asked for by pages of an earlier build; a page in its place would only cost time
    if (path.startsWith("/build/")) return send(response, { status: 404, message: "Not found." });
    await fairTurn(clientNetworks(clientAddress(request)));
    if (response.destroyed) return;
    await new Promise<void>((next) => compress(request as never, response as never, () => next()));
    await answerWithRemix(remix, request, response, { requestId, handle });
  }

  /**
   * Gives the answer the common headers and an id, and sees to its log line and its place in the metrics
   * when it is over. Returns the id.
   */
  function prepareResponse(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    { logLevel }: RouteHandle,
  ): string {
    const requestId = randomUUID();
    const startedAt = performance.now();
    response.once("close", () => {
      dropUnreadBody(request);
      const route = table.handleOf(path.replace(/\.data$/, "")).metricsName;
      countRequest(request, response, route, (performance.now() - startedAt) / 1000);
      logRequest(request, response, { requestId, path, startedAt, level: logLevel });
    });
    setCommonHeaders(response);
    response.setHeader("X-Request-Id", requestId);
    return requestId;
  }
}

/**
 * Lets Remix answer: a page in a slot out of its network's share, what is posted and what declares
 * `pageSlot: false` at once. An address it cannot read is a 400, a network without a place to wait a 503, and
 * nothing is made for a client that has gone.
 */
async function answerWithRemix(
  remix: RequestHandler,
  incoming: IncomingMessage,
  response: ServerResponse,
  { requestId, handle }: { requestId: string; handle: RouteHandle },
): Promise<void> {
  // the guards have judged where it comes from; Remix would judge again, by other rules, with a 500
  delete incoming.headers.origin;
  delete incoming.headers["x-forwarded-host"];
  const { protocol } = new URL(env().PUBLIC_URL);
  let request: Request;
  try {
    incoming.url = withoutDataParameter(incoming.url);
    request = createRequest(incoming, response, { protocol });
  } catch {
    return send(response, { status: 400, message: "The request's address cannot be read." });
  }
  const nonce = randomBytes(16).toString("base64");
  const context: AppLoadContext = { requestId, nonce, clientAddress: clientAddress(incoming) };

  // what is posted has bounds of its own
  const isPage = !request.body && handle.pageSlot !== false;
  const network = clientNetworks(context.clientAddress);
  // who has gone away meanwhile is not worth a page
  const answerIfWanted = async () => (response.destroyed ? null : remix(request, context));
  let answer: Response | null;
  try {
    answer = await (isPage
      ? pageSlots.run(network, (whileOutside) => {
          context.whileOutside = whileOutside;
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
  if (context.refusedForm && mayRenderRefusedPage(network)) {
    answer = await renderRefusedForm(remix, request, context);
  }
  if (answer.headers.get("Content-Type")?.startsWith("text/html")) {
    response.setHeader("Content-Security-Policy", pagePolicy([`'nonce-${nonce}'`]));
  }
  if (!answer.headers.has("Cache-Control")) {
    // whoever has a cookie may see what others may not; nobody else's answer is kept without asking
    const isPersonal = request.headers.has("Cookie");
    response.setHeader("Cache-Control", isPersonal ? "private, no-store" : "private, no-cache");
  }
  await sendResponse(response, answer);
}

/** The page a refused form belongs to, with the toast that says why, under the refusal's status. */
async function renderRefusedForm(
  remix: RequestHandler,
  request: Request,
  { refusedForm, ...rest }: AppLoadContext,
): Promise<Response> {
  const { page = "/", flashCookie = "", retryAfter = "60", status = 503 } = refusedForm ?? {};
  const cookies = [request.headers.get("Cookie"), flashCookie.split(";")[0]].filter(Boolean);
  const rendered = await remix(
    new Request(new URL(page, request.url), {
      headers: { Cookie: cookies.join("; "), Accept: "text/html" },
      signal: request.signal,
    }),
    // a context of its own, because the viewer is kept by it
    rest,
  );
  const headers = new Headers(rendered.headers);
  headers.set("Retry-After", retryAfter);
  headers.set("Cache-Control", "no-store");
  return new Response(rendered.body, { status, headers });
}

function send(response: ServerResponse, { status, message, headers = {} }: Refusal): void {
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "Cache-Control": "no-store",
    ...headers,
  });
  response.end(`${message}\n`);
}

/** Without what Remix 1 asked for data by: Remix 2 answers such a request with a 500 of its own. */
function withoutDataParameter(url = "/"): string {
  const at = url.indexOf("?");
  const search = new URLSearchParams(at === -1 ? "" : url.slice(at));
  if (!search.has("_data")) return url;
  search.delete("_data");
  return `${url.slice(0, at)}?${search}`;
}

/** A client that is still sending after its answer gets a moment to read it and is then cut off. */
function dropUnreadBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  setTimeout(() => request.destroy(), LINGER_MS).unref();
}

/** The path alone: what stands in a query can be a secret, such as the token of a mailed link. */
function pathOf(url = "/"): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}

function logRequest(
  { method }: IncomingMessage,
  response: ServerResponse,
  facts: { requestId: string; path: string; startedAt: number; level?: "debug" },
): void {
  const {
    requestId,
    path,
    startedAt,
    level = path.startsWith("/build/") ? "debug" : "info",
  } = facts;
  log()[level](
    {
      requestId,
      method,
      path,
      status: statusOf(response),
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
    },
    "request",
  );
}
