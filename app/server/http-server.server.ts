import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { connectionAccepted } from "~/http/fair-scheduling.server";
import { OperatorError } from "~db/operator-error";
import { rejectBadClient } from "./bad-client.server";
import { closedConnectionsReport } from "./closed-connections.server";
import { ConnectionLimiter } from "./connection-limiter.server";
import { availableConnections } from "./file-descriptors.server";
import { closeInStages, dropRest } from "./lingering-close.server";
import { setCommonHeaders } from "./response-headers.server";

/** How long clients may take, in milliseconds, and how many may be connected at once. */
export type HttpLimits = {
  /** From a connection's or a request's first byte to the end of its headers. */
  headersTimeout: number;
  /** From a request's first byte to the end of its body. */
  requestTimeout: number;
  /** How long an idle connection is kept alive for another request. */
  keepAliveTimeout: number;
  /** How long a connection with a request in flight may transfer nothing, in either direction. */
  idleTimeout: number;
  /** How long a client that has been answered may go on sending the rest of its request. */
  lingerTimeout: number;
  /** Beyond this, the least useful connection of the largest network is closed (`ConnectionLimiter`). */
  maxConnections: number;
  /** How many unanswered (pipelined) requests a client may have on one connection. */
  maxUnanswered: number;
  /** How long connections without a request in flight are still served when the server closes, in milliseconds. */
  drainTimeout: number;
  /** Behind a proxy, the address of the client that a request comes from. */
  addressOf?: (request: IncomingMessage) => string;
};

const DEFAULT_LIMITS: HttpLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  idleTimeout: 60_000,
  lingerTimeout: 10_000,
  maxConnections: availableConnections(2_000),
  maxUnanswered: 32,
  drainTimeout: 0,
};

/**
 * Length of the kernel's queue of connections not yet accepted; Linux caps it at `net.core.somaxconn`, 4,096
 * by default today. A client that finds it full retries after 1, 3 and 7 seconds.
 */
const BACKLOG = 65_535;

/** How often request timeouts are checked, in milliseconds; a client may exceed them by as much. */
const TIMEOUT_CHECK_MS = 1_000;

/** How long a closing server goes on accepting if they keep coming, in milliseconds. */
const MOST_ACCEPTING_MS = 500;

/** How often a closing server closes connections that have become idle, in milliseconds. */
const CLOSE_POLL_MS = 50;

/** Where to listen: on a port, or on a socket that was inherited open, by its file descriptor. */
export type Place = { port: number; host: string | undefined } | { fd: number };

/** A listening server that answers "starting" until it is given the site to serve. */
export type HttpServer = {
  /** The port it listens on, which the system chooses for PORT=0; null for an inherited socket. */
  port: number | null;
  serve(listener: RequestListener): Promise<void>;
  /** Number of open connections. */
  connections(): number;
  /**
   * Stops accepting connections, serves those that are open for `drainTimeout`, waits up to `timeoutMs` for requests
   * in flight, then drops the rest.
   */
  close(timeoutMs: number): Promise<void>;
};

/** How long a request behind a proxy waits for the site to start, in milliseconds, and how many may. */
const HOLD_TIMEOUT_MS = 20_000;
const MAX_HELD = 1_000;

/** Health checks, which are answered at once even while the site starts. */
const HEALTH_CHECK = /^\/(healthz|readyz)(\?|$)/;

const starting: RequestListener = (_request, response) => {
  setCommonHeaders(response);
  response.writeHead(503, {
    "Retry-After": "1",
    "Content-Type": "text/plain; charset=utf-8",
    "Cache-Control": "no-store",
  });
  response.end("The site is starting.\n");
};

/** Requests that wait for the site to start, those of health checks and too many of them excepted. */
class HeldRequests {
  readonly #held = new Map<ServerResponse, IncomingMessage>();

  hold: RequestListener = (request, response) => {
    if (HEALTH_CHECK.test(request.url ?? "") || this.#held.size >= MAX_HELD) {
      return starting(request, response);
    }
    this.#held.set(response, request);
    const timer = setTimeout(() => {
      if (this.#held.delete(response)) starting(request, response);
    }, HOLD_TIMEOUT_MS).unref();
    response.once("close", () => {
      clearTimeout(timer);
      this.#held.delete(response);
    });
  };

  release(listener: RequestListener): void {
    const held = [...this.#held];
    this.#held.clear();
    for (const [response, request] of held) listener(request, response);
  }
}

/**
 * Opens the port before anything else is started, so that one already in use is reported at once. Until
 * `serve` is called, every request is answered 503, or with a `drainTimeout` waits. An inherited socket is listened on only then: connections wait in
 * it meanwhile, and none is answered that the site could not serve. Throws an OperatorError when it cannot be listened on.
 */
export async function listen(place: Place, limits: Partial<HttpLimits> = {}): Promise<HttpServer> {
  const { headersTimeout, requestTimeout, keepAliveTimeout, drainTimeout, ...rest } = {
    ...DEFAULT_LIMITS,
    ...limits,
  };
  const limiter = new ConnectionLimiter({ ...rest, onClosed: closedConnectionsReport() });
  // a proxy would pass the 503 on to a visitor, for whom waiting a second is better
  const held = drainTimeout > 0 ? new HeldRequests() : null;
  let listener: RequestListener = held?.hold ?? starting;
  // one function for all requests, since a closure of each takes part of a cached response's time
  function onResponseClosed(this: ServerResponse): void {
    limiter.requestEnded(this);
    const { req: request } = this;
    if (!request.complete && request.socket.writable) dropRest(request, rest.lingerTimeout);
  }
  const onRequest: RequestListener = (request, response) => {
    // Node dispatches all pipelined requests at once and holds all their responses in memory
    const { socket } = request;
    const unanswered = limiter.requestBegun(response);
    if (unanswered > rest.maxUnanswered) socket.destroy();
    // it may have come with the end of a request whose response was the last
    if (!socket.writable) return;
    // its client learns from the response before it that it has to send it again (RFC 9112, 9.6)
    if (unanswered > 1 && limiter.isClosedBefore(response)) {
      // left unread, it would make the kernel reset the connection in the middle of that response
      request.resume();
      return;
    }
    response.on("close", onResponseClosed);
    // the server is closing: the client must not reuse this connection
    if (!server.listening) response.setHeader("Connection", "close");
    listener(request, response);
  };
  const server = createServer(
    {
      headersTimeout,
      requestTimeout,
      keepAliveTimeout,
      // the guards reject it instead, with the headers that every response has
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, headersTimeout / 2),
    },
    onRequest,
  );
  server.timeout = rest.idleTimeout;
  server.on("timeout", (socket) => void closeUnlessReadable(socket));
  server.on("checkContinue", (request, response) => {
    // Node would write the leave of a request that waits for others on its connection into its response's body
    if (response.socket) response.writeContinue();
    else response.setHeader("Connection", "close");
    onRequest(request, response);
  });
  const closing = {
    lingerTimeout: rest.lingerTimeout,
    lastRequest: (socket: Socket) => limiter.lastRequest(socket),
  };
  server.on("connection", (socket) => {
    connectionAccepted();
    limiter.add(socket);
    closeInStages(socket, closing);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
    rejectBadClient(error, socket, limiter.isBusy(socket)),
  );
  const open = () =>
    new Promise<void>((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException) =>
        reject(
          "fd" in place
            ? explainInheritedSocket(error)
            : explainListenError(error, place.port, place.host),
        );
      server.once("error", fail);
      server.listen({ ...place, backlog: BACKLOG }, () => {
        server.off("error", fail);
        resolve();
      });
    });
  if ("port" in place) await open();
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : null,
    serve: async (next) => {
      listener = next;
      held?.release(next);
      if ("fd" in place) await open();
    },
    connections: () => limiter.size,
    close: (timeoutMs) => {
      // the start was aborted: nothing else would answer the requests that wait for it
      if (held && listener === held.hold) {
        listener = starting;
        held.release(starting);
      }
      return close(server, limiter, { timeoutMs, drainTimeout });
    },
  };
}

/**
 * Waits for requests whose head has been received and that are not answered yet. A client that has only begun to send
 * one, or that keeps its connection alive, delays the stop by `drainTimeout` at most: a proxy may just be sending a
 * request on it, and must not find it closed. Every response ends its connection.
 */
async function close(
  server: Server,
  limiter: ConnectionLimiter,
  { timeoutMs, drainTimeout }: { timeoutMs: number; drainTimeout: number },
): Promise<void> {
  await acceptConnected(server);
  if (!server.listening) return;
  const drainedAt = performance.now() + drainTimeout;
  // http.Server's own would also close the idle connections at once
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
  for (const response of limiter.lastUnfinished()) {
    if (!response.headersSent) response.setHeader("Connection", "close");
  }
  const closeFinished = async () => {
    if (performance.now() < drainedAt) return;
    // after CPU starvation, data that has arrived meanwhile is read before its connection counts as idle
    await polledForData();
    if (limiter.lastUnfinished().next().done) server.closeAllConnections();
    else server.closeIdleConnections();
  };
  void closeFinished();
  const poll = setInterval(closeFinished, CLOSE_POLL_MS);
  const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearInterval(poll);
  clearTimeout(timer);
}

/**
 * Waits until those who have connected are accepted, since the kernel resets what it still holds for a port that closes:
 * a turn of the event loop accepts one (libuv since 1.45), and while it answers others several more may come.
 */
async function acceptConnected(server: Server): Promise<void> {
  const latest = performance.now() + MOST_ACCEPTING_MS;
  let isAccepting = true;
  const onConnection = () => {
    isAccepting = true;
  };
  server.on("connection", onConnection);
  // a stop may come in the middle of an iteration that has polled for connections already
  await nextTurn();
  while (isAccepting && performance.now() < latest) {
    isAccepting = false;
    await nextTurn();
  }
  server.off("connection", onConnection);
}

/**
 * Closes a connection whose time is over, unless its client has sent something meanwhile. An event loop that was blocked runs
 * its timers before it reads, so that Node would reset connections for which a request has long been waiting in the kernel.
 */
async function closeUnlessReadable(socket: Socket): Promise<void> {
  const { bytesRead } = socket;
  await polledForData();
  if (socket.bytesRead === bytesRead) socket.destroy();
}

/** Resolves once what had arrived before the call has been read. */
async function polledForData(): Promise<void> {
  // the first iteration may have polled already
  for (let turn = 0; turn < 2; turn++) await nextTurn();
}

/** Resolves at the end of the event loop's iteration. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

function explainInheritedSocket(error: NodeJS.ErrnoException): OperatorError {
  return new OperatorError(
    `The socket that LISTEN_FDS passes on cannot be listened on (${error.code}): its unit has to name a port as ListenStream=, without Accept=yes.`,
    { cause: error },
  );
}

/** Turns an error from `listen` into an OperatorError that says what to do about it. */
export function explainListenError(
  error: NodeJS.ErrnoException,
  port: number,
  host?: string,
): Error {
  switch (error.code) {
    case "EADDRINUSE":
      return new OperatorError(
        `Port ${port} is already in use: stop the program that has it, or choose others with PORT and DATA_DIR (for example PORT=${port + 100} DATA_DIR=./data-${port + 100}).`,
      );
    case "EACCES":
      return new OperatorError(
        `Port ${port} may not be opened by this user: choose a PORT above 1023.`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new OperatorError(`HOST '${host}' is not an address of this machine.`);
    default:
      return error;
  }
}
