import "~/server/first-import.server";
import { Writable } from "node:stream";
import type { AppLoadContext, EntryContext, HandleErrorFunction } from "@remix-run/node";
import { isRouteErrorResponse, RemixServer } from "@remix-run/react";
import { renderToPipeableStream } from "react-dom/server";
import { clientNetworks } from "./http/client-network.server";
import { fairTurn } from "./http/fair-scheduling.server";
import { log } from "./observability/log.server";
import { PageDataContext } from "./shell/hydration/page-data-context";
import { NonceContext } from "./shell/nonce";

/** How long a render may take before what is missing is left to the browser, in milliseconds. */
const ABORT_DELAY = 5_000;

/**
 * Renders a page and answers with all of it at once. Nothing on a page is waited for in the browser, and
 * what React and Remix send later they send after `</html>`, where no HTML may be: so the page's data,
 * which Remix would send as such a stream, is read first and becomes part of the page (`PageScripts`).
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  { serverHandoffStream, ...context }: EntryContext,
  { nonce, clientAddress }: AppLoadContext,
): Promise<Response> {
  // what many loaders waited for can come back all at once
  await fairTurn(clientNetworks(clientAddress));
  const pageData = serverHandoffStream && (await new Response(serverHandoffStream).text());
  return new Promise((resolve, reject) => {
    let isShellReady = false;
    const { pipe, abort } = renderToPipeableStream(
      <NonceContext.Provider value={nonce}>
        <PageDataContext.Provider value={pageData}>
          <RemixServer context={context} url={request.url} abortDelay={ABORT_DELAY} nonce={nonce} />
        </PageDataContext.Provider>
      </NonceContext.Provider>,
      {
        nonce,
        onShellReady() {
          isShellReady = true;
        },
        onShellError: reject,
        onAllReady() {
          clearTimeout(tooLate);
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
          // what the shell could not do without reaches handleError by itself
          if (!isShellReady || request.signal.aborted) return;
          log().error({ err: error }, "rendering failed after the shell");
        },
      },
    );
    // React says nothing of a shell that is given up, and whoever waits for it would wait for ever
    const tooLate = setTimeout(() => {
      abort();
      if (!isShellReady) reject(new Error("The page could not be rendered in time."));
    }, ABORT_DELAY + 1_000).unref();
    request.signal.addEventListener("abort", () => {
      // a timer holds all of the page in memory, so none is left behind
      clearTimeout(tooLate);
      abort();
      resolve(new Response(null, { headers, status }));
    });
  });
}

/** Takes what React writes, in some fifty pieces, each of which would cost as much to send as all. */
class WholePage extends Writable {
  readonly #pieces: Uint8Array[] = [];

  override _write(piece: Uint8Array, _encoding: string, done: () => void): void {
    this.#pieces.push(piece);
    done();
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return Buffer.concat(this.#pieces);
  }
}

/** Logs what no route expected; that a visitor went away, or sent what no route takes, is no fault of ours. */
export const handleError: HandleErrorFunction = (error, { request }) => {
  if (request.signal.aborted || (isRouteErrorResponse(error) && error.status < 500)) return;
  const { pathname } = new URL(request.url);
  log().error({ err: error, method: request.method, path: pathname }, "a request failed");
};
