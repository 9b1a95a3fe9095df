import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { log } from "~/observability/log.server";
import { countRejectedClient } from "~/observability/metrics.server";
import { commonHeaders } from "./response-headers.server";

/** What the parser's and the server's complaints are called in HTTP; any other is a 400. */
const STATUS_OF: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/** How long a client gets to read why its connection is closed, in milliseconds. */
const LINGER_MS = 1_000;

const answered = new WeakSet<Socket>();

/**
 * Says what was wrong to a client whose request is no HTTP, too long in the head or too slow, and closes
 * the connection. When `isBusy`, a request of it is being worked on, which is given up with it.
 */
export function answerBadClient(
  error: NodeJS.ErrnoException,
  socket: Socket,
  isBusy: boolean,
): void {
  // the parser complains again about every piece that still comes in
  if (answered.has(socket)) return;
  answered.add(socket);
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS_OF[error.code ?? ""] ?? 400;
  countRejectedClient(status);
  log().debug({ code: error.code, status }, "client rejected");
  // an answer may be half sent already: two on top of each other would be worse than none
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
