import type { IncomingMessage, ServerResponse } from "node:http";
import { finished } from "node:stream/promises";

/** Most bytes of a body that are received after the request was rejected; a larger body is cut off. */
const MOST_DROPPED = 64 * 1024 * 1024;

/**
 * Receives and drops the rest of a body after the response, so that the client reads the response and not a connection
 * reset. Node ends a request that takes too long.
 */
export function dropRest(request: IncomingMessage, response: ServerResponse): void {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  if (length === undefined && encoding === undefined) return;
  response.once("finish", () => {
    if (!request.complete) drop(request);
  });
}

/**
 * Receives and drops the rest of a request that ends its connection, as those of nginx do. Node would close it right
 * after the response, and a proxy that is still sending would show its own error.
 */
export async function receiveLast(request: IncomingMessage): Promise<void> {
  const { httpVersion, headers } = request;
  const isLast = httpVersion === "1.0" || /\bclose\b/i.test(headers.connection ?? "");
  if (!isLast || request.complete || request.destroyed) return;
  drop(request);
  await finished(request).catch(() => {});
}

function drop(request: IncomingMessage): void {
  let dropped = 0;
  request.on("data", (chunk: Buffer) => {
    dropped += chunk.byteLength;
    if (dropped > MOST_DROPPED) request.socket.destroy();
  });
  request.resume();
}
