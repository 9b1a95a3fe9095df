import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import { connect } from "node:net";

/** A response as received: not decoded, no redirect followed. */
export type Answer = {
  status: number;
  headers: IncomingHttpHeaders;
  /** The Set-Cookie headers, one each. */
  cookies: string[];
  body: Buffer;
  text: string;
};

export type Sent = {
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
  /** Sent as an urlencoded form; a POST unless `method` says otherwise. */
  form?: Record<string, string>;
  /** Sent as JSON; a POST unless `method` says otherwise. */
  json?: unknown;
  cookie?: string;
  agent?: Agent;
};

/** Sends exactly the given headers and no others, which neither browsers nor `fetch` can do. */
export function send(url: string, sent: Sent = {}): Promise<Answer> {
  const { form, json, cookie, agent } = sent;
  const headers: OutgoingHttpHeaders = { ...sent.headers };
  let { body } = sent;
  if (form !== undefined) {
    headers["Content-Type"] = "application/x-www-form-urlencoded";
    body = new URLSearchParams(form).toString();
  }
  if (json !== undefined) {
    headers["Content-Type"] = "application/json";
    body = JSON.stringify(json);
  }
  if (cookie) headers.Cookie = cookie;
  if (body !== undefined) headers["Content-Length"] ??= Buffer.byteLength(body);
  const method = sent.method ?? (body === undefined ? "GET" : "POST");
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () => {
        const bytes = Buffer.concat(chunks);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          cookies: incoming.headers["set-cookie"] ?? [],
          body: bytes,
          text: bytes.toString("utf8"),
        });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** A browser as the server sees it: stores cookies and sends Origin headers. */
export class Visitor {
  readonly #cookies = new Map<string, string>();

  constructor(
    private readonly origin: string,
    /** Headers of every request, such as the Host of a site with another name. */
    private readonly headers: OutgoingHttpHeaders = {},
    private readonly publicOrigin = origin,
    /** Creates its connections, for tests that need special ones. */
    private readonly agent?: Agent,
  ) {}

  get(path: string, sent: Sent = {}): Promise<Answer> {
    return this.#send(path, sent, { "Sec-Fetch-Site": "none" });
  }

  /** Posts as a page of the site does. */
  post(path: string, sent: Sent): Promise<Answer> {
    return this.#send(path, sent, {
      Origin: this.publicOrigin,
      "Sec-Fetch-Site": "same-origin",
    });
  }

  /** The cookies it would send. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** The value of one of them; empty if it has none of this name. */
  valueOf(name: string): string {
    return this.#cookies.get(name) ?? "";
  }

  set cookie(header: string) {
    this.#cookies.clear();
    for (const pair of header.split("; ")) this.#keep(pair);
  }

  /** Creates an account and signs in. */
  async signUp(email: string, password = "a long walk"): Promise<void> {
    const answer = await this.post("/auth/signup", { json: { email, password } });
    if (answer.status !== 200) throw new Error(`Sign up: ${answer.status} ${answer.text}`);
    // as if the page with the notice to confirm the address had been seen
    this.#cookies.delete("flash");
  }

  async #send(path: string, sent: Sent, own: OutgoingHttpHeaders): Promise<Answer> {
    const answer = await send(this.origin + path, {
      cookie: this.cookie,
      agent: this.agent,
      ...sent,
      headers: { ...own, ...this.headers, ...sent.headers },
    });
    for (const line of answer.cookies) {
      if (/max-age=0/i.test(line)) this.#cookies.delete(line.slice(0, line.indexOf("=")));
      else this.#keep(line.split(";")[0] ?? "");
    }
    return answer;
  }

  #keep(pair: string): void {
    const end = pair.indexOf("=");
    if (end > 0) this.#cookies.set(pair.slice(0, end), pair.slice(end + 1));
  }
}

/** A connection over which a test can send any bytes, HTTP or not, at any pace. */
export type RawConnection = {
  write(bytes: string | Buffer): void;
  /** Half-closes the connection, and keeps reading. */
  finish(): void;
  /** The data received so far. */
  received(): string;
  /** Resolves with the received data once it matches; rejects if the connection ends first. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves with all received data when the other side has ended the connection. */
  ended: Promise<string>;
  destroy(): void;
};

/** Opens a connection to the program; resolves when it is established. */
export async function openConnection(origin: string): Promise<RawConnection> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let text = "";
  let isOver = false;
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    text += chunk;
    notify();
  });
  const ended = new Promise<string>((resolve) => {
    const end = () => {
      isOver = true;
      socket.destroy();
      notify();
      resolve(text);
    };
    socket.once("end", end);
    socket.once("close", end);
    socket.on("error", end);
  });
  await new Promise<void>((resolve) => {
    socket.once("connect", resolve);
    void ended.then(() => resolve());
  });
  return {
    write: (bytes) => void (isOver || socket.write(bytes)),
    finish: () => void socket.end(),
    received: () => text,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const listener = () => {
          if (!pattern.test(text) && !isOver) return;
          listeners.delete(listener);
          if (pattern.test(text)) resolve(text);
          else reject(new Error(`The connection ended with: ${text}`));
        };
        listeners.add(listener);
        listener();
      }),
    ended,
    destroy: () => void socket.destroy(),
  };
}
