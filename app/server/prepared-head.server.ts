import type { ServerResponse } from "node:http";

/** A response with the property in which Node keeps its head, as it is sent, once it is known. */
type WithHead = ServerResponse & { _header?: unknown };

const DATE = /^Date: .*\r\n/m;
const SETS_MORE = /^(Transfer-Encoding:|Connection: close)/im;

/**
 * The status line and headers of a response that is sent many times. Node validates and writes out every header of every
 * response; that takes a sixth of a cached response's time, so what it has written for one is kept for those after it
 * (docs/decisions/0043-prepared-heads.md).
 */
export class PreparedHead {
  #written: { before: string; after: string } | null = null;
  #text = "";
  #second = 0;

  /** `headers` are names and values by turns. */
  constructor(
    private readonly status: number,
    private readonly headers: string[],
  ) {}

  /** As `writeHead`; the response is then sent by `end`, whole. */
  writeTo(response: ServerResponse): void {
    if (!isPlain(response)) {
      response.writeHead(this.status, this.headers);
    } else if (this.#written) {
      response.statusCode = this.status;
      (response as WithHead)._header = this.#now(this.#written);
    } else {
      response.writeHead(this.status, this.headers);
      this.#written = readHead(response);
    }
  }

  #now({ before, after }: { before: string; after: string }): string {
    const second = Math.floor(Date.now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = `${before}Date: ${new Date(second * 1_000).toUTCString()}\r\n${after}`;
    }
    return this.#text;
  }
}

/** Whether a response's head is decided by its status and headers alone, as it is for most responses. */
function isPlain(response: ServerResponse): boolean {
  return (
    response.shouldKeepAlive &&
    response.req.httpVersionMinor === 1 &&
    !response.headersSent &&
    response.getHeaderNames().length === 0
  );
}

/**
 * What Node has written, around the date; null if it no longer keeps it there, or if it has set more than the head: how
 * the body is sent, where its length is unknown, or that the connection ends.
 */
function readHead({ _header: head }: WithHead): { before: string; after: string } | null {
  const date = typeof head === "string" && !SETS_MORE.test(head) ? DATE.exec(head) : null;
  if (!date) return null;
  return {
    before: date.input.slice(0, date.index),
    after: date.input.slice(date.index + date[0].length),
  };
}
