import type { ServerResponse } from "node:http";
import { sendResponse } from "@remix-run/node-fetch-server";
import { TextResponse } from "~/http/text-response.server";

/** Length from which on a text is compressed, in characters: below, it takes longer than it saves. */
const LEAST_COMPRESSED = 1_000;

/**
 * Sends an answer: a text in one piece, with its length, and anything else as it comes from its stream.
 * `startCompression` is called before what may be worth it. Nothing is sent to a client that has disconnected: what
 * compresses would wait for it for ever.
 */
export async function sendAnswer(
  response: ServerResponse,
  answer: Response,
  startCompression: () => void,
): Promise<void> {
  if (response.destroyed) {
    if (!(answer instanceof TextResponse)) await answer.body?.cancel();
    return;
  }
  if (!(answer instanceof TextResponse)) {
    startCompression();
    return sendResponse(response, answer);
  }
  const { status, headers, content } = answer;
  if (content.length >= LEAST_COMPRESSED) startCompression();
  response.setHeaders(headers);
  response.setHeader("Content-Length", Buffer.byteLength(content));
  response.writeHead(status).end(content);
}
