import type { IncomingMessage, ServerResponse } from "node:http";
import { IncomingHeaders } from "./incoming-headers.server";

/** How a body is received, in chunks: what of a stream's reader is needed for that. */
export type BodyReader = {
  read(): Promise<{ done: false; value: Uint8Array } | { done: true; value: undefined }>;
  /** Receives no more of it. */
  cancel(): Promise<void>;
};

type ReadResult = Awaited<ReturnType<BodyReader["read"]>>;

/**
 * The Request of a message that is being received. Throws a TypeError if its address cannot be read.
 *
 * Its stream and its signal, which aborts when the client disconnects before the response is finished, are made when they
 * are asked for: most posts need neither, and to make and to collect them takes longer than what a post is for
 * (docs/decisions/0042-posts-without-the-router.md).
 */
export class IncomingRequest extends Request {
  readonly #headers: IncomingHeaders;
  readonly #incoming: IncomingMessage;
  readonly #response: ServerResponse;
  #signal: AbortSignal | undefined;
  #reader: MessageReader | undefined;
  #withBody: Request | undefined;

  constructor(incoming: IncomingMessage, response: ServerResponse, protocol: string) {
    const { method = "GET", url, headers } = incoming;
    super(`${protocol}//${headers.host ?? "localhost"}${url}`, { method });
    this.#headers = new IncomingHeaders(headers);
    this.#incoming = incoming;
    this.#response = response;
  }

  override get headers(): Headers {
    return this.#headers;
  }

  override get signal(): AbortSignal {
    this.#signal ??= signalOf(this.#response);
    return this.#signal;
  }

  /** Receives the body without a stream of the web; null if a request of this method has none. */
  readBody(): BodyReader | null {
    if (!this.#hasBody) return null;
    if (this.#reader) throw new TypeError("The body is being read already.");
    this.#reader = new MessageReader(this.#incoming);
    return this.#reader;
  }

  override get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    return this.#hasBody ? this.#whole().body : null;
  }

  override get bodyUsed(): boolean {
    return this.#withBody?.bodyUsed ?? this.#reader !== undefined;
  }

  override arrayBuffer(): Promise<ArrayBuffer> {
    return this.#whole().arrayBuffer();
  }

  override blob(): Promise<Blob> {
    return this.#whole().blob();
  }

  override formData(): Promise<FormData> {
    return this.#whole().formData();
  }

  override json(): Promise<unknown> {
    return this.#whole().json();
  }

  override text(): Promise<string> {
    return this.#whole().text();
  }

  override clone(): Request {
    return this.#whole().clone();
  }

  get #hasBody(): boolean {
    return this.method !== "GET" && this.method !== "HEAD";
  }

  /** The same request with its body as a stream. */
  #whole(): Request {
    if (!this.#withBody) {
      const { url, method, headers, signal } = this;
      const reader = this.readBody();
      const body = reader && streamOf(reader);
      this.#withBody = new Request(url, { method, headers, signal, body, duplex: "half" });
    }
    return this.#withBody;
  }
}

/** Aborted when a response is closed before it is finished. */
function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abortUnlessFinished = () => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.closed) abortUnlessFinished();
  else response.once("close", abortUnlessFinished);
  return controller.signal;
}

function streamOf(reader: BodyReader): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => reader.cancel(),
  });
}

/** Receives a message's body no faster than it is read; fails if the client disconnects before its end. */
class MessageReader implements BodyReader {
  readonly #incoming: IncomingMessage;
  readonly #chunks: Uint8Array[] = [];
  #waiting: { resolve: (result: ReadResult) => void; reject: (error: Error) => void } | null = null;
  #isOver = false;
  #failure: Error | null = null;

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
    if (incoming.destroyed && !incoming.complete) {
      this.#fail();
      return;
    }
    // with nobody who listens, an error would end the process; the message is closed after it
    incoming.on("error", () => {});
    incoming.on("data", this.#receive).once("end", this.#end).once("close", this.#fail);
  }

  read(): Promise<ReadResult> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#answer();
    });
  }

  async cancel(): Promise<void> {
    this.#chunks.length = 0;
    this.#end();
  }

  readonly #receive = (chunk: Uint8Array) => {
    this.#chunks.push(chunk);
    // the rest stays in the socket until it is asked for
    if (!this.#waiting) this.#incoming.pause();
    this.#answer();
  };

  readonly #end = () => {
    this.#isOver = true;
    this.#incoming.off("data", this.#receive).off("end", this.#end).off("close", this.#fail);
    this.#answer();
  };

  readonly #fail = () => {
    if (this.#isOver) return;
    this.#failure = new DOMException("The request was aborted.", "AbortError");
    this.#end();
  };

  #answer(): void {
    if (!this.#waiting) return;
    const { resolve, reject } = this.#waiting;
    const value = this.#chunks.shift();
    if (!value && !this.#isOver) {
      this.#incoming.resume();
      return;
    }
    this.#waiting = null;
    if (value) resolve({ done: false, value });
    else if (this.#failure) reject(this.#failure);
    else resolve({ done: true, value: undefined });
  }
}
