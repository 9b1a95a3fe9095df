import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { connectionAccepted } from "~/http/fair-scheduling.server";
import { OperatorError } from "~db/operator-error";
import { rejectBadClient } from "./bad-client.server";
import { closedConnectionsReport } from "./closed-connections.server";
import { ConnectionLimiter } from "./connection-limiter.server";
import { availableConnections } from "./file-descriptors.server";
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
  /** Beyond this, the least useful connection of the largest network is closed (`ConnectionLimiter`). */
  maxConnections: number;
  /** How many unanswered (pipelined) requests a client may have on one connection. */
  maxUnanswered: number;
  /** Behind a proxy, the address of the client that a request comes from. */
  addressOf?: (request: IncomingMessage) => string;
};

const DEFAULT_LIMITS: HttpLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  idleTimeout: 60_000,
  maxConnections: availableConnections(2_000),
  maxUnanswered: 32,
};

/**
 * Length of the kernel's queue of connections not yet accepted; Linux caps it at `net.core.somaxconn`, 4,096
 * by default today. A client that finds it full retries after 1, 3 and 7 seconds.
 */
const BACKLOG = 65_535;

/** How often request timeouts are checked, in milliseconds; a client may exceed them by as much. */
const TIMEOUT_CHECK_MS = 1_000;

/** How often a closing server closes connections that have become idle, in milliseconds. */
const CLOSE_POLL_MS = 50;

/** A listening server that answers "starting" until it is given the site to serve. */
export type HttpServer = {
  /** The port it listens on, which the system chooses for PORT=0. */
  port: number;
  serve(listener: RequestListener): void;
  /** Number of open connections. */
  connections(): number;
  /** Stops accepting connections, waits up to `timeoutMs` for requests in flight, then drops the rest. */
  close(timeoutMs: number): Promise<void>;
};

const starting: RequestListener = (_request, response) => {
  setCommonHeaders(response);
  response.writeHead(503, {
    "Retry-After": "1",
    "Content-Type": "text/plain; charset=utf-8",
    "Cache-Control": "no-store",
  });
  response.end("The site is starting.\n");
};

/**
 * Opens the port before anything else is started, so that one already in use is reported at once. Until
 * `serve` is called, every request is answered 503. Throws an OperatorError when the port cannot be opened.
 */
export async function listen(
  port: number,
  host: string | undefined,
  limits: Partial<HttpLimits> = {},
): Promise<HttpServer> {
  const { headersTimeout, requestTimeout, keepAliveTimeout, ...rest } = {
    ...DEFAULT_LIMITS,
    ...limits,
  };
  const inFlight = new Set<ServerResponse>();
  const limiter = new ConnectionLimiter({ ...rest, onClosed: closedConnectionsReport() });
  let listener = starting;
  const server = createServer(
    {
      headersTimeout,
      requestTimeout,
      keepAliveTimeout,
      // the guards reject it instead, with the headers that every response has
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, headersTimeout / 2),
    },
    (request, response) => {
      const { socket } = request;
      // Node dispatches all pipelined requests at once and holds all their responses in memory
      if (limiter.requestBegun(request) > rest.maxUnanswered) socket.destroy();
      if (socket.destroyed) return;
      inFlight.add(response);
      response.once("close", () => {
        inFlight.delete(response);
        limiter.requestEnded(socket);
      });
      // the server is closing: the client must not reuse this connection
      if (!server.listening) response.setHeader("Connection", "close");
      listener(request, response);
    },
  );
  server.timeout = rest.idleTimeout;
  server.on("connection", (socket) => {
    connectionAccepted();
    limiter.add(socket);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
    rejectBadClient(error, socket, limiter.isBusy(socket)),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(explainListenError(error, port, host)),
    );
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    serve: (next) => {
      listener = next;
    },
    connections: () => limiter.size,
    close: (timeoutMs) => close(server, inFlight, timeoutMs),
  };
}

/**
 * Waits only for requests whose head has been received and that are not answered yet. A client that has only
 * begun to send one, or that keeps its connection alive, does not delay the stop.
 */
async function close(
  server: Server,
  inFlight: ReadonlySet<ServerResponse>,
  timeoutMs: number,
): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const response of inFlight) {
    if (!response.headersSent) response.setHeader("Connection", "close");
  }
  const closeFinished = () => {
    if (inFlight.size === 0) server.closeAllConnections();
    else server.closeIdleConnections();
  };
  closeFinished();
  const poll = setInterval(closeFinished, CLOSE_POLL_MS);
  const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearInterval(poll);
  clearTimeout(timer);
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
