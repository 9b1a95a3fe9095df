import { createServer, type RequestListener, type Server } from "node:http";
import { OperatorError } from "~db/operator-error";

/** A listening server whose answers can be switched from "starting" to the site. */
export type HttpServer = {
  /** The port it really has, which PORT=0 leaves to the system. */
  port: number;
  serve(listener: RequestListener): void;
  /** Stops accepting, waits for what runs at most `patience` ms, then drops what is left. */
  close(patience: number): Promise<void>;
};

const starting: RequestListener = (_request, response) => {
  response.writeHead(503, { "Retry-After": "1", "Content-Type": "text/plain; charset=utf-8" });
  response.end("The site is starting.\n");
};

/**
 * Takes the port before anything else is started, so that a busy one is found at once. Until `serve` is
 * called every request is answered 503. Throws an OperatorError when the port cannot be had.
 */
export async function listen(port: number, host: string | undefined): Promise<HttpServer> {
  let listener = starting;
  const server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, port, host)));
    server.listen({ port, host }, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    serve: (next) => {
      listener = next;
    },
    close: (patience) => close(server, patience),
  };
}

async function close(server: Server, patience: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), patience);
  await closed;
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
