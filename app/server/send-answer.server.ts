import type { ServerResponse } from "node:http";
import { sendResponse } from "@remix-run/node-fetch-server";
import { TextResponse } from "~/http/text-response.server";
import { preferredEncoding } from "./accept-encoding.server";
import { compressWhole } from "./answer-compression.server";
import type { FilledPage } from "./viewer-pages.server";

/** Length from which on a text is compressed, in characters: below, it takes longer than it saves. */
const LEAST_COMPRESSED = 1_000;

/**
 * Sends an answer: a text or a filled-in page in one piece, with its length, and anything else as it comes from its
 * stream. A filled-in page is compressed in one call, which takes less time than a stream; `startCompression` is called before
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
  const body = await compressWhole(answer.body, encoding);
  if (response.destroyed) return;
  for (const [name, value] of answer.headers.entries()) response.setHeader(name, value);
  response.appendHeader("Vary", "Accept-Encoding");
  if (encoding !== "identity") response.setHeader("Content-Encoding", encoding);
  response.setHeader("Content-Length", body.byteLength);
  response.end(body);
}
