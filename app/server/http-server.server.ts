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
import { answerBadClient } from "./bad-client.server";
import { closedConnectionsReport } from "./closed-connections.server";
import { ConnectionLimiter } from "./connection-limiter.server";
import { connectionsPossible } from "./file-descriptors.server";
import { setCommonHeaders } from "./response-headers.server";

/** How long clients may take, in milliseconds, and how many may be connected at once. */
export type HttpLimits = {
  /** From a connection's or a request's first byte to the end of its headers. */
  headersTimeout: number;
  /** From a request's first byte to the end of its body. */
  requestTimeout: number;
  /** How long a connection is kept for a next request. */
  keepAliveTimeout: number;
  /** How long a connection with a request on it may stand still, in either direction. */
  idleTimeout: number;
  /** With one more, the least useful one of the largest network is closed (`ConnectionLimiter`). */
  maxConnections: number;
  /** How many requests a client may have sent on a connection before the first of them is answered. */
  maxUnanswered: number;
  /** Behind a proxy, the address of the client that a request comes from. */
  addressOf?: (request: IncomingMessage) => string;
};

const DEFAULT_LIMITS: HttpLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  idleTimeout: 60_000,
  maxConnections: connectionsPossible(2_000),
  maxUnanswered: 32,
};

/**
 * New connections that the system may hold ready for this process; it has a bound of its own, 4,096 on
 * today's Linux. Whoever comes beyond it has to knock again after 1, 3, 7 seconds.
 */
const BACKLOG = 65_535;

/** How often slow clients are looked for, in milliseconds; also how much longer they may take. */
const LOOK_AROUND_MS = 1_000;

/** How often a closing server lets go of connections on which nothing is under way any more. */
const CLOSE_POLL_MS = 50;

/** A listening server whose answers can be switched from "starting" to the site. */
export type HttpServer = {
  /** The port it really has, which PORT=0 leaves to the system. */
  port: number;
  serve(listener: RequestListener): void;
  /** How many clients are connected. */
  connections(): number;
  /** Stops accepting, waits for what runs at most `timeoutMs`, then drops what is left. */
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
 * Takes the port before anything else is started, so that a busy one is found at once. Until `serve` is
 * called every request is answered 503. Throws an OperatorError when the port cannot be had.
 */
export async function listen(
  port: number,
  host: string | undefined,
  limits: Partial<HttpLimits> = {},
): Promise<HttpServer> {
  const { headersTimeout, requestTimeout, keepAliveTimeout, ...most } = {
    ...DEFAULT_LIMITS,
    ...limits,
  };
  const underWay = new Set<ServerResponse>();
  const limiter = new ConnectionLimiter({ ...most, onClosed: closedConnectionsReport() });
  let listener = starting;
  const server = createServer(
    {
      headersTimeout,
      requestTimeout,
      keepAliveTimeout,
      // the guards say it with the headers that every answer has
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(LOOK_AROUND_MS, headersTimeout / 2),
    },
    (request, response) => {
      const { socket } = request;
      // Node hands on at once whatever a client has sent in one go, and holds all the answers in memory
      if (limiter.requestBegun(request) > most.maxUnanswered) socket.destroy();
      if (socket.destroyed) return;
      underWay.add(response);
      response.once("close", () => {
        underWay.delete(response);
        limiter.requestEnded(socket);
      });
      // the connection ends with the answer, and nobody is told that it may be used again
      if (!server.listening) response.setHeader("Connection", "close");
      listener(request, response);
    },
  );
  server.timeout = most.idleTimeout;
  server.on("connection", (socket) => {
    connectionAccepted();
    limiter.add(socket);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
    answerBadClient(error, socket, limiter.isBusy(socket)),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, port, host)));
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    serve: (next) => {
      listener = next;
    },
    connections: () => limiter.size,
    close: (timeoutMs) => close(server, underWay, timeoutMs),
  };
}

/**
 * Waits for the requests that were understood and are not answered yet, and for no others: a client
 * that has only begun to send one, or that keeps its connection for a next one, does not hold up a stop.
 */
async function close(
  server: Server,
  underWay: ReadonlySet<ServerResponse>,
  timeoutMs: number,
): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const response of underWay) {
    if (!response.headersSent) response.setHeader("Connection", "close");
  }
  const letGo = () => {
    if (underWay.size === 0) server.closeAllConnections();
    else server.closeIdleConnections();
  };
  letGo();
  const poll = setInterval(letGo, CLOSE_POLL_MS);
  const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearInterval(poll);
  clearTimeout(timer);
}

/** What to do about a port that cannot be had, in one sentence. */
export function explain(error: NodeJS.ErrnoException, port: number, host?: string): Error {
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
