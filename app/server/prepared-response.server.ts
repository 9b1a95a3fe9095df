import type { ServerResponse } from "node:http";

/** A response with the properties in which Node keeps its head, as it is sent, and whether it has been. */
type WithHead = ServerResponse & { _header?: unknown; _headerSent?: unknown };

const DATE = /^Date: .*\r\n/m;
const SETS_MORE = /^(Transfer-Encoding:|Connection: close)/im;

/**
 * Longest body that is sent with its head in one piece, in bytes: the kernel takes as much for any client at once. Each client
 * that reads slowly would keep a copy of a longer one, of the second in which it was asked for.
 */
const MAX_IN_ONE_PIECE = 16_384;

/**
 * A response that is sent many times. Node validates and writes out every header of every response, and hands head and body
 * to the kernel as two pieces; that takes a quarter of a cached response's time, so what it has written for one is kept for
 * those after it, with a short body behind it (docs/decisions/0043-prepared-heads.md).
 */
export class PreparedResponse {
  #written: { before: string; after: string } | null = null;
  #second = 0;
  #head = "";
  /** Head and body in one piece; null for a body that is too long. */
  #message: Buffer | null = null;
  /** A part of the message, once there is one. */
  #body: Buffer;

  /** `headers` are names and values by turns, with the length of a body that is not empty. */
  constructor(
    private readonly status: number,
    private readonly headers: string[],
    body: Buffer,
  ) {
    this.#body = body;
  }

  /** Ends the response; Node leaves out the body where only the head is asked for. */
  send(response: ServerResponse): void {
    const isWrittenAlike = isPlain(response);
    if (!isWrittenAlike || !this.#written) {
      response.writeHead(this.status, this.headers);
      if (isWrittenAlike) this.#written = readHead(response);
      response.end(this.#body);
      return;
    }
    this.#renew(this.#written);
    response.statusCode = this.status;
    (response as WithHead)._header = this.#head;
    if (this.#message && response.req.method !== "HEAD") {
      (response as WithHead)._headerSent = true;
      response.end(this.#message);
    } else {
      response.end(this.#body);
    }
  }

  /** Gives head and message the date of this second. What is still being sent has a buffer of its own. */
  #renew({ before, after }: { before: string; after: string }): void {
    const second = Math.floor(Date.now() / 1_000);
    if (second === this.#second) return;
    this.#second = second;
    this.#head = `${before}Date: ${new Date(second * 1_000).toUTCString()}\r\n${after}`;
    if (this.#body.length > MAX_IN_ONE_PIECE) return;
    const head = Buffer.from(this.#head, "latin1");
    this.#message = Buffer.concat([head, this.#body]);
    // the body is in memory once
    this.#body = this.#message.subarray(head.length);
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
 * What Node has written, around the date; null if it no longer keeps it there or does not note that it is not sent yet, or
 * if it has set more than the head: how the body is sent, where its length is unknown, or that the connection ends.
 */
function readHead({
  _header: head,
  _headerSent: isSent,
}: WithHead): { before: string; after: string } | null {
  if (isSent !== false || typeof head !== "string" || SETS_MORE.test(head)) return null;
  const date = DATE.exec(head);
  if (!date) return null;
  return {
    before: date.input.slice(0, date.index),
    after: date.input.slice(date.index + date[0].length),
  };
}
