import type { ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { sendResponse } from "@remix-run/node-fetch-server";
import { TextResponse } from "~/http/text-response.server";
import { type Encoding, preferredEncoding } from "./accept-encoding.server";
import type { FilledPage } from "./viewer-pages.server";

/** Length from which on a text is compressed, in characters: below, it takes longer than it saves. */
const LEAST_COMPRESSED = 1_000;

/**
 * Sends an answer: a text or a filled-in page in one piece, with its length, and anything else as it comes from its
 * stream. A filled-in page is compressed at once, which takes less time than a stream; `startCompression` is called before
 * anything else that may be worth it. Nothing is sent to a client that has disconnected: what compresses would wait for it
 * for ever.
 */
export async function sendAnswer(
  response: ServerResponse,
  answer: Response | FilledPage,
  startCompression: () => void,
): Promise<void> {
  if (response.destroyed) {
    if (answer instanceof Response && !(answer instanceof TextResponse))
      await answer.body?.cancel();
    return;
  }
  if (answer instanceof TextResponse) {
    const { status, headers, content } = answer;
    if (content.length >= LEAST_COMPRESSED) startCompression();
    response.setHeaders(headers);
    response.setHeader("Content-Length", Buffer.byteLength(content));
    response.writeHead(status).end(content);
    return;
  }
  if (answer instanceof Response) {
    startCompression();
    return sendResponse(response, answer);
  }
  const encoding = preferredEncoding(response.req.headers["accept-encoding"]);
  const body = await COMPRESS[encoding](answer.body);
  if (response.destroyed) return;
  for (const [name, value] of answer.headers.entries()) response.setHeader(name, value);
  response.appendHeader("Vary", "Accept-Encoding");
  if (encoding !== "identity") response.setHeader("Content-Encoding", encoding);
  response.setHeader("Content-Length", body.byteLength);
  response.end(body);
}

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** What `compression` compresses pages with as well: a better quality takes longer than rendering what is personal. */
const BROTLI_QUALITY = 4;

/** As the exponent of 2: nearly all of a page, for a sixty-fourth of the memory that brotli takes by default. */
const BROTLI_WINDOW = 16;

const COMPRESS: Record<Encoding, (body: Buffer) => Buffer | Promise<Buffer>> = {
  identity: (body) => body,
  gzip: (body) => gzipped(body),
  br: (body) =>
    brotli(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
      },
    }),
};
