import "#production-mode";
import { Writable } from "node:stream";
import type { AppLoadContext, EntryContext, HandleErrorFunction } from "@remix-run/node";
import { isRouteErrorResponse, RemixServer } from "@remix-run/react";
import { renderToPipeableStream } from "react-dom/server";
import { clientNetworks } from "~/server/client-network.server";
import { log } from "~/server/log.server";
import { turn } from "~/server/turns.server";
import { NonceContext } from "~/ui/nonce";

/** How long a render may take before what is missing is left to the browser, in milliseconds. */
const ABORT_DELAY = 5_000;

/** Renders a page and streams it from the moment its shell is complete; all content is in the shell. */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  context: EntryContext,
  { nonce, clientAddress }: AppLoadContext,
): Promise<Response> {
  // what many loaders waited for can come back all at once
  await turn(clientNetworks(clientAddress));
  return new Promise((resolve, reject) => {
    let isShellSent = false;
    const { pipe, abort } = renderToPipeableStream(
      <NonceContext.Provider value={nonce}>
        <RemixServer context={context} url={request.url} abortDelay={ABORT_DELAY} nonce={nonce} />
      </NonceContext.Provider>,
      {
        nonce,
        onShellReady() {
          isShellSent = true;
          headers.set("Content-Type", "text/html; charset=utf-8");
          const page = new PageStream();
          resolve(new Response(page.body, { headers, status }));
          pipe(page);
        },
        onAllReady: () => clearTimeout(tooLate),
        onShellError: reject,
        onError(error) {
          // before the shell is out the error reaches handleError by itself
          if (!isShellSent || request.signal.aborted) return;
          log().error({ err: error }, "rendering failed after the shell");
        },
      },
    );
    // a timer holds all of the page in memory, so none is left behind
    const tooLate = setTimeout(abort, ABORT_DELAY + 1_000).unref();
    request.signal.addEventListener("abort", () => {
      clearTimeout(tooLate);
      abort();
    });
  });
}

/**
 * Takes what React writes, in many small pieces, and hands it on each time React says that a part is
 * complete: the shell in one piece instead of some fifty, each of which would cost as much as all.
 */
class PageStream extends Writable {
  readonly body: ReadableStream<Uint8Array>;
  #pieces: Uint8Array[] = [];
  #controller!: ReadableStreamDefaultController<Uint8Array>;

  constructor() {
    super();
    this.body = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => void this.destroy(),
    });
  }

  /** Called by React after each part that a browser can show. */
  flush(): void {
    if (this.#pieces.length === 0 || this.destroyed) return;
    this.#controller.enqueue(Buffer.concat(this.#pieces));
    this.#pieces = [];
  }

  override _write(piece: Uint8Array, _encoding: string, done: () => void): void {
    this.#pieces.push(piece);
    done();
  }

  override _final(done: () => void): void {
    this.flush();
    this.#controller.close();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.writableFinished && error) this.#controller.error(error);
    done(error);
  }
}

/** Logs what no route expected; that a visitor went away, or sent what no route takes, is no fault of ours. */
export const handleError: HandleErrorFunction = (error, { request }) => {
  if (request.signal.aborted || (isRouteErrorResponse(error) && error.status < 500)) return;
  const { pathname } = new URL(request.url);
  log().error({ err: error, method: request.method, path: pathname }, "a request failed");
};
