import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";

type Options = {
  /** How long a client may go on sending what nobody reads any more, in milliseconds. */
  lingerTimeout: number;
  /** Returns the last request whose head has arrived on a connection, while it is being answered. */
  lastRequest: (socket: Socket) => IncomingMessage | undefined;
};

/**
 * Makes a connection whose last response is sent close in stages (RFC 9112, 9.6): where its request has not been received
 * to its end, only the site's side ends, and the rest is received and dropped until the client is done or `lingerTimeout` is
 * over. Node closes both sides at once, on which the kernel resets the connection for whatever is left unread or arrives
 * later: a browser that is still sending shows an error of its own in place of the response, and a proxy sends a 502.
 */
export function closeInStages(socket: Socket, options: Options): void {
  // what Node's server calls once a response that ends the connection is written
  socket.destroySoon = () => {
    const request = options.lastRequest(socket);
    if (!request || request.complete) destroySoon.call(socket);
    else linger(socket, request, options.lingerTimeout);
  };
}

const { destroySoon } = Socket.prototype;

function linger(socket: Socket, request: IncomingMessage, timeout: number): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), timeout).unref();
  socket.once("close", () => clearTimeout(timer));
  request.once("end", () => destroySoon.call(socket));
  // whoever read the beginning may have paused it
  request.resume();
}
