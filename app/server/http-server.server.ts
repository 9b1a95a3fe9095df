import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { OperatorError } from "~db/operator-error";
import { rejectBadClient } from "./bad-client.server";
import { limitConnections } from "./connection-limit.server";
import { setCommonHeaders } from "./response-headers.server";

const DEFAULT_LIMITS = {
  /** From a connection's or a request's first byte to the end of its headers. */
  headersTimeout: 10_000,
  /** From a request's first byte to the end of its body, even if it has been answered already. */
  requestTimeout: 300_000,
  /** How long an idle connection is kept alive for another request. */
  keepAliveTimeout: 5_000,
  /** How long a connection with a request in flight may transfer nothing, in either direction. */
  idleTimeout: 60_000,
  /** Across all networks; `limitConnections` limits each one. */
  maxConnections: 2_000,
  /** Whether all connections come from a proxy, which limits its clients itself. */
  isBehindProxy: false,
  /** How long the server goes on accepting requests once it is told to close. */
  drainTimeout: 0,
};

/** How long clients may take, in milliseconds, and how many may be connected at once. */
export type HttpLimits = typeof DEFAULT_LIMITS;

/** How often request timeouts are checked, in milliseconds; a client may exceed them by as much. */
const TIMEOUT_CHECK_MS = 1_000;

/** Requests in progress on one connection. Browsers and proxies wait for each answer. */
const MAX_PIPELINED = 2;

/** How often a closing server closes connections without a request in progress, in milliseconds. */
const CLOSE_POLL_MS = 50;

/**
 * Length of the kernel's queue of connections not yet accepted; Linux caps it at `net.core.somaxconn`, 4,096
 * by default today. A client that finds it full retries after 1, 3 and 7 seconds.
 */
const BACKLOG = 65_535;

/** A port to listen on, or the file descriptor of an inherited open socket. */
export type Place = { port: number; host: string | undefined } | { fd: number };

/** A listening server that answers "starting" until it is given the site to serve. */
export type HttpServer = {
  /** The port it listens on, which the system chooses for PORT=0; null for an inherited socket. */
  port: number | null;
  serve(listener: RequestListener): Promise<void>;
  /** Number of open connections. */
  connections(): number;
  /**
   * Goes on serving for `drainTimeout`, then accepts no more connections, waits up to `timeoutMs` for requests in flight,
   * and drops the rest.
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

/** Requests that wait for the site to start. Health checks and requests beyond MAX_HELD are answered 503 at once. */
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
 * Opens the port before anything else starts, so that a port in use is reported at once. Until `serve` is called,
 * requests are answered 503, or wait if there is a `drainTimeout`. An inherited socket is listened on only from then
 * on; until then connections wait in it. Throws an OperatorError when it cannot listen.
 */
export async function listen(place: Place, limits: Partial<HttpLimits> = {}): Promise<HttpServer> {
  const { headersTimeout, drainTimeout, ...rest } = { ...DEFAULT_LIMITS, ...limits };
  // a proxy would pass a 503 on to the visitor, who would rather wait a second
  const held = drainTimeout > 0 ? new HeldRequests() : null;
  let listener: RequestListener = held?.hold ?? starting;
  let isClosing = false;
  /** Responses in progress by connection: a pipelined one never emits "close" when its connection is closed. */
  const connections = new Map<Socket, Set<ServerResponse>>();
  const server = createServer(
    {
      headersTimeout,
      requestTimeout: rest.requestTimeout,
      keepAliveTimeout: rest.keepAliveTimeout,
      // the guards reject it instead, with the headers that every response has
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, headersTimeout / 2),
    },
    (request, response) => {
      // the client must not send another request on this connection
      if (isClosing) response.setHeader("Connection", "close");
      const inProgress = connections.get(request.socket) ?? new Set();
      if (inProgress.size >= MAX_PIPELINED) return request.socket.destroy();
      inProgress.add(response);
      response.once("close", () => inProgress.delete(response));
      listener(request, response);
    },
  );
  server.timeout = rest.idleTimeout;
  server.maxConnections = rest.maxConnections;
  server.on("connection", (socket) => {
    connections.set(socket, new Set());
    socket.once("close", () => connections.delete(socket));
  });
  if (!rest.isBehindProxy) limitConnections(server);
  server.on("clientError", (error, socket) => {
    const isBusy = (connections.get(socket as Socket)?.size ?? 0) > 0;
    rejectBadClient(error, socket, isBusy);
  });
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
    connections: () => connections.size,
    close: async (timeoutMs) => {
      // the start was aborted, so nothing else will answer the held requests
      if (held && listener === held.hold) {
        listener = starting;
        held.release(starting);
      }
      isClosing = true;
      for (const response of [...connections.values()].flatMap((responses) => [...responses])) {
        if (!response.headersSent) response.setHeader("Connection", "close");
      }
      if (server.listening) await sleep(drainTimeout);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // `closeIdleConnections` would wait for requests that have begun and may never end
      const poll = setInterval(() => {
        for (const [socket, { size }] of connections) if (size === 0) socket.destroySoon();
      }, CLOSE_POLL_MS);
      const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
      await closed;
      clearInterval(poll);
      clearTimeout(timer);
    },
  };
}

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
