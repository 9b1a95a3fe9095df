import type { IncomingMessage, ServerResponse } from "node:http";
import { constants } from "node:zlib";
import compression from "compression";

/** The quality that `compression` uses by default, too: a better one takes longer than rendering what is personal. */
const BROTLI_QUALITY = 4;

/**
 * The exponent of 2: nearly all of a page. As a stream with brotli's default, an answer takes 9 MB until it is sent, and V8
 * collects garbage because of it (docs/decisions/0044-v8-defaults.md).
 */
const BROTLI_WINDOW = 16;

const BROTLI_PARAMS = {
  [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
  [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW,
};

const compress = compression({ brotli: { params: BROTLI_PARAMS } });

/** Compresses what is sent from now on as a stream, if the client accepts that and it is worth it. */
export function startCompression(request: IncomingMessage, response: ServerResponse): void {
  compress(request as never, response as never, () => {});
}
