import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { AppLoadContext, EntryContext, HandleErrorFunction } from "@remix-run/node";
import { isRouteErrorResponse, RemixServer } from "@remix-run/react";
import { renderToPipeableStream } from "react-dom/server";
import { log } from "./observability/log.server";
import { NonceContext } from "./shell/nonce";
import { preloadHeader } from "./shell/preload-header.server";

/** How long a page may take to render, in milliseconds. */
const RENDER_TIMEOUT_MS = 6_000;

const END = "</body></html>";

/** Renders a page and answers with all of it at once: nothing on the site's pages is worth streaming. */
export default function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  context: EntryContext,
  { nonce }: AppLoadContext,
): Promise<Response> {
  const preloads = preloadHeader(linksOf(context));
  if (preloads) headers.set("Link", preloads);
  headers.set("Content-Type", "text/html; charset=utf-8");
  return new Promise((resolve, reject) => {
    const { pipe, abort } = renderToPipeableStream(
      <NonceContext.Provider value={nonce}>
        <RemixServer context={context} url={request.url} nonce={nonce} />
      </NonceContext.Provider>,
      {
        nonce,
        // a boundary that is larger would be sent by a script
        progressiveChunkSize: Number.POSITIVE_INFINITY,
        onAllReady() {
          clearTimeout(timeout);
          const html = new PassThrough();
          pipe(html);
          text(html).then(
            (page) => resolve(new Response(withDataInBody(withoutNul(page)), { headers, status })),
            reject,
          );
        },
        onError: reject,
      },
    );
    const timeout = setTimeout(() => {
      abort(new Error("The page could not be rendered in time."));
    }, RENDER_TIMEOUT_MS).unref();
    request.signal.addEventListener("abort", () => {
      // a pending timer would keep the whole page in memory
      clearTimeout(timeout);
      resolve(new Response(null, { headers, status }));
      abort();
    });
  });
}

/** React 18 writes U+0000 where a character of several bytes does not fit into its buffer (facebook/react #24985). */
function withoutNul(page: string): string {
  return page.replaceAll("\0", "");
}

/** Remix writes the page's data behind the document's end, where HTML allows no scripts. */
function withDataInBody(page: string): string {
  return page.replace(END, "") + END;
}

/** The links of the routes that a page shows, in place of which an error page stands from its boundary on. */
function linksOf({ routeModules, staticHandlerContext: { matches, errors } }: EntryContext) {
  const boundary = matches.findIndex(({ route }) => errors?.[route.id] !== undefined);
  const shown = boundary === -1 ? matches : matches.slice(0, boundary + 1);
  return shown.flatMap(({ route }) => routeModules[route.id]?.links?.() ?? []);
}

/** Logs unexpected errors; a client that disconnected or sent an invalid request is not one. */
export const handleError: HandleErrorFunction = (error, { request }) => {
  if (request.signal.aborted || (isRouteErrorResponse(error) && error.status < 500)) return;
  const { pathname } = new URL(request.url);
  log().error({ err: error, method: request.method, path: pathname }, "a request failed");
};
