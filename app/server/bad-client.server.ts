import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { log } from "~/observability/log.server";
import { rejectedClients } from "~/observability/metrics.server";
import { commonHeaders } from "./response-headers.server";

/** HTTP status by the error code of Node's parser or server; any other is a 400. */
const STATUS_OF: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/** How long a client gets to read the response before its connection is destroyed, in milliseconds. */
const LINGER_MS = 1_000;

const answered = new WeakSet<Duplex>();

/**
 * Rejects a request that is malformed, too slow or has an oversized head, and closes its connection. When `isBusy`,
 * another request on the connection is still being answered and is aborted.
 */
export function rejectBadClient(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  isBusy: boolean,
): void {
  // the parser reports another error for every further chunk
  if (answered.has(socket)) return;
  answered.add(socket);
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS_OF[error.code ?? ""] ?? 400;
  rejectedClients.inc({ status });
  log().debug({ code: error.code, status }, "client rejected");
  // a response may be half sent already, and a second one would corrupt it
  if (isBusy) {
    socket.destroy();
    return;
  }
  socket.end(answer(status));
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function answer(status: number): string {
  const message = `${STATUS_CODES[status]}\n`;
  const headers: [string, string][] = [
    ...commonHeaders(),
    ["Content-Type", "text/plain; charset=utf-8"],
    ["Content-Length", String(message.length)],
    ["Cache-Control", "no-store"],
    ["Connection", "close"],
  ];
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", message].join("\r\n");
}
