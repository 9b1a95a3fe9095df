import type { ServerResponse } from "node:http";

/** A response with the properties in which Node keeps its head, as it is sent, and whether it has been. */
type WithHead = ServerResponse & { _header?: unknown; _headerSent?: unknown };

const DATE = /^Date: .*\r\n/m;
const SETS_MORE = /^(Transfer-Encoding:|Connection: close)/im;

/**
 * A response that is sent many times. Node validates and writes out every header of every response, and hands head and body
 * to the kernel as two pieces; that takes a quarter of a cached response's time, so what it has written for one is kept for
 * those after it, with the body behind it (docs/decisions/0043-prepared-heads.md).
 */
export class PreparedResponse {
  #written: { before: string; after: string } | null = null;
  #head = "";
  /** The second, since 1970, that the head is dated. */
  #headSecond = Number.NaN;
  /** Head and body in one piece, once there is a head: the only copy of both, whose date is overwritten each second. */
  #message: Buffer | null = null;
  #messageSecond = Number.NaN;
  /** Clients that have not received all of the message; until they have, its date stays. */
  #receiving = 0;
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
    this.#dateHead(this.#written);
    response.statusCode = this.status;
    (response as WithHead)._header = this.#head;
    // a response that waits for those before it has no connection yet
    const { socket } = response;
    const message = response.req.method === "HEAD" || !socket ? null : this.#datedMessage();
    if (!message || !socket) {
      response.end(this.#body);
      return;
    }
    (response as WithHead)._headerSent = true;
    response.end(message);
    if (socket.writableLength > 0) this.#wait(response);
  }

  #dateHead({ before, after }: { before: string; after: string }): void {
    const second = Math.floor(Date.now() / 1_000);
    if (second === this.#headSecond) return;
    this.#headSecond = second;
    this.#head = `${before}Date: ${new Date(second * 1_000).toUTCString()}\r\n${after}`;
  }

  /** The message with the head's date; null while somebody receives one with another. */
  #datedMessage(): Buffer | null {
    if (this.#messageSecond === this.#headSecond) return this.#message;
    if (this.#receiving > 0) return null;
    this.#messageSecond = this.#headSecond;
    if (this.#message) {
      // all dates are of one length
      this.#message.write(this.#head, "latin1");
    } else {
      this.#message = Buffer.concat([Buffer.from(this.#head, "latin1"), this.#body]);
      this.#body = this.#message.subarray(this.#head.length);
    }
    return this.#message;
  }

  #wait(response: ServerResponse): void {
    this.#receiving++;
    response.once("close", () => {
      this.#receiving--;
    });
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
