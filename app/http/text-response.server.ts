/** Statuses of answers without a body (https://fetch.spec.whatwg.org/#null-body-status). */
const NO_BODY = new Set([101, 103, 204, 205, 304]);

/**
 * A Response whose body is a text that is there already, as that of most answers to posts. The site sends the text itself;
 * its stream is made when it is asked for, which under remix-serve it is: to make, read and collect one takes longer than
 * what a post is for (docs/decisions/0042-posts-without-the-router.md).
 */
export class TextResponse extends Response {
  readonly content: string;
  #withBody: Response | undefined;

  /** `mediaType` is that of an `init` that names none. */
  constructor(content: string, init?: ResponseInit, mediaType = "text/plain;charset=UTF-8") {
    super(null, init);
    if (NO_BODY.has(this.status)) throw new TypeError(`An answer ${this.status} has no body.`);
    this.content = content;
    if (!this.headers.has("Content-Type")) this.headers.set("Content-Type", mediaType);
  }

  override get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    return this.#whole().body;
  }

  override get bodyUsed(): boolean {
    return this.#withBody?.bodyUsed ?? false;
  }

  override arrayBuffer(): Promise<ArrayBuffer> {
    return this.#whole().arrayBuffer();
  }

  override bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.arrayBuffer().then((buffer) => new Uint8Array(buffer));
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

  override clone(): TextResponse {
    if (this.bodyUsed) throw new TypeError("The body has been read.");
    const { content, status, statusText, headers } = this;
    return new TextResponse(content, { status, statusText, headers });
  }

  /** The same response with its body as a stream. */
  #whole(): Response {
    const { content, status, statusText, headers } = this;
    this.#withBody ??= new Response(content, { status, statusText, headers });
    return this.#withBody;
  }
}

/** A response of JSON, as Remix's `json`. */
export function jsonResponse(value: unknown, init?: ResponseInit): TextResponse {
  return new TextResponse(JSON.stringify(value), init, "application/json; charset=utf-8");
}
