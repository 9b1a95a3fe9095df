/**
 * A Response whose body is a text that is there already, as that of most answers to posts. The site sends the text itself;
 * its stream is made when it is asked for, which under remix-serve it is: to make, read and collect one takes longer than
 * what a post is for (docs/decisions/0042-posts-without-the-router.md).
 */
export class TextResponse extends Response {
  readonly content: string;
  #withBody: Response | undefined;

  constructor(content: string, init?: ResponseInit) {
    super(null, init);
    this.content = content;
    if (!this.headers.has("Content-Type")) {
      this.headers.set("Content-Type", "text/plain;charset=UTF-8");
    }
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

  override clone(): Response {
    return this.#whole().clone();
  }

  /** The same response with its body as a stream. */
  #whole(): Response {
    const { content, status, statusText, headers } = this;
    this.#withBody ??= new Response(content, { status, statusText, headers });
    return this.#withBody;
  }
}

/** A response of JSON, as Remix's `json`. */
export function jsonResponse(value: unknown, init: ResponseInit = {}): TextResponse {
  const headers = new Headers(init.headers);
  if (!headers.has("Content-Type")) headers.set("Content-Type", "application/json; charset=utf-8");
  return new TextResponse(JSON.stringify(value), { ...init, headers });
}
