import "~/server/first-import.server";
import { Writable } from "node:stream";
import type { AppLoadContext, EntryContext, HandleErrorFunction } from "@remix-run/node";
import { isRouteErrorResponse, RemixServer } from "@remix-run/react";
import { renderToPipeableStream } from "react-dom/server";
import { clientNetworks } from "./http/client-network.server";
import { fairTurn } from "./http/fair-scheduling.server";
import { log } from "./observability/log.server";
import { inlineScripts } from "./shell/hydration/inline-scripts.server";
import { InlineScriptsContext } from "./shell/hydration/inline-scripts-context";
import { NonceContext } from "./shell/nonce";
import { preloadHeader } from "./shell/preload-header.server";

/** How long a render may take before the rest is left to the browser, in milliseconds. */
const ABORT_DELAY = 5_000;

/**
 * Renders a page and sends it all at once. Nothing on a page loads later in the browser, and React and Remix
 * would stream late data after `</html>`, which is invalid HTML. So the page's data, which Remix would stream
 * that way, is read first and included in the page (`PageScripts`).
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  { serverHandoffStream, ...context }: EntryContext,
  { nonce, clientAddress }: AppLoadContext,
): Promise<Response> {
  // many loaders may finish at the same moment
  await fairTurn(clientNetworks(clientAddress));
  const preloads = preloadHeader(linksOf(context));
  if (preloads) headers.set("Link", preloads);
  const pageData = serverHandoffStream && (await new Response(serverHandoffStream).text());
  return new Promise((resolve, reject) => {
    let isShellReady = false;
    const { pipe, abort } = renderToPipeableStream(
      <NonceContext.Provider value={nonce}>
        <InlineScriptsContext.Provider value={inlineScripts(pageData)}>
          <RemixServer context={context} url={request.url} abortDelay={ABORT_DELAY} nonce={nonce} />
        </InlineScriptsContext.Provider>
      </NonceContext.Provider>,
      {
        nonce,
        onShellReady() {
          isShellReady = true;
        },
        onShellError: reject,
        onAllReady() {
          clearTimeout(renderTimeout);
          // React also calls this after a shell that failed
          if (!isShellReady) return;
          const page = new WholePage();
          page.once("finish", () => {
            headers.set("Content-Type", "text/html; charset=utf-8");
            resolve(new Response(page.bytes(), { headers, status }));
          });
          pipe(page);
        },
        onError(error) {
          // errors in the shell already reach handleError
          if (!isShellReady || request.signal.aborted) return;
          log().error({ err: error }, "rendering failed after the shell");
        },
      },
    );
    // React reports nothing when a shell is aborted, so the promise would never settle
    const renderTimeout = setTimeout(() => {
      abort();
      if (!isShellReady) reject(new Error("The page could not be rendered in time."));
    }, ABORT_DELAY + 1_000).unref();
    request.signal.addEventListener("abort", () => {
      // a pending timer would keep the whole page in memory
      clearTimeout(renderTimeout);
      abort();
      resolve(new Response(null, { headers, status }));
    });
  });
}

/** The links of the routes that a page shows, in place of which an error page stands from its boundary on. */
function linksOf({ routeModules, staticHandlerContext: { matches, errors } }: EntryContext) {
  const boundary = matches.findIndex(({ route }) => errors?.[route.id] !== undefined);
  const shown = boundary === -1 ? matches : matches.slice(0, boundary + 1);
  return shown.flatMap(({ route }) => routeModules[route.id]?.links?.() ?? []);
}

/**
 * Collects React's output, about fifty chunks, each of which would cost as much to send as the whole page.
 */
class WholePage extends Writable {
  readonly #chunks: Uint8Array[] = [];

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return Buffer.concat(this.#chunks);
  }
}

/** Logs unexpected errors; a client that disconnected or sent an invalid request is not one. */
export const handleError: HandleErrorFunction = (error, { request }) => {
  if (request.signal.aborted || (isRouteErrorResponse(error) && error.status < 500)) return;
  const { pathname } = new URL(request.url);
  log().error({ err: error, method: request.method, path: pathname }, "a request failed");
};
