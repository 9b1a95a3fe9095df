import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";

type Options = {
  /** How long a client may go on sending what nobody reads any more, in milliseconds. */
  lingerTimeout: number;
  /** Returns the last request whose head has arrived on a connection, while it is being answered. */
  lastRequest: (socket: Socket) => IncomingMessage | undefined;
};

const { destroySoon } = Socket.prototype;

/**
 * Makes a connection whose last response is sent close in stages (RFC 9112, 9.6): where its request has not been received
 * to its end, only the site's side ends, and the rest is received and dropped until the client is done or `lingerTimeout` is
 * over. Node closes both sides at once, on which the kernel resets the connection for whatever is left unread or arrives
 * later: a browser that is still sending shows an error of its own in place of the response, and a proxy sends a 502.
 */
export function closeInStages(socket: Socket, { lingerTimeout, lastRequest }: Options): void {
  // what Node's server calls once a response that ends the connection is written
  socket.destroySoon = () => {
    const request = lastRequest(socket);
    if (!request || request.complete) {
      destroySoon.call(socket);
      return;
    }
    socket.end();
    request.once("end", () => destroySoon.call(socket));
    dropRest(request, lingerTimeout);
  };
}

/**
 * Receives the rest of a request that has been answered, and drops it. Its connection is destroyed if that takes longer than
 * `timeout` milliseconds.
 */
export function dropRest(request: IncomingMessage, timeout: number): void {
  const timer = setTimeout(() => request.socket.destroy(), timeout).unref();
  request.once("close", () => clearTimeout(timer));
  // whoever read the beginning may have paused it
  request.resume();
}
