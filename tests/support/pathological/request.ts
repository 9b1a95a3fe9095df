/** A request made to be as expensive as can be for one of the parsers that it reaches. */
export type PathologicalRequest = {
  /** The parser and what is bad about its input. */
  name: string;
  method: "GET" | "POST";
  /** Path and query as they are sent. */
  target: string;
  headers: [string, string][];
  body: string;
};

/** Node takes 16 KB of request line and headers together; this is left for one of them. */
export const HEAD_SIZE = 15_500;

/** What the site reads of a form, and all that a request of these tests may have. */
export const BODY_SIZE = 64 * 1024;

/** What a text is filled with: the same again and again, or something for each index. */
export type Filling = string | ((index: number) => string);

/** The filling, from `start` to `end`, as often as it fits into so many characters. */
export function fill(size: number, start: string, filling: Filling, end = ""): string {
  const room = size - start.length - end.length;
  if (typeof filling === "string") {
    return start + filling.repeat(Math.max(0, Math.floor(room / filling.length))) + end;
  }
  const parts: string[] = [];
  let length = 0;
  for (let index = 0; ; index++) {
    const part = filling(index);
    length += part.length;
    if (length > room) return start + parts.join("") + end;
    parts.push(part);
  }
}

/** A request for the landing page, but for what is given. */
export function request(
  name: string,
  given: Partial<Omit<PathologicalRequest, "name">>,
): PathologicalRequest {
  return { name, method: "GET", target: "/", headers: [], body: "", ...given };
}

/** Names under which V8 would keep fields in one place, if it did not hash numbers with a seed. */
export const collidingNumber = (index: number) => String((index + 1) * 65_536);

/** What goes over the wire: with a Host, a Content-Length and an end of the connection if none is given. */
export function bytesOf(
  { method, target, headers, body }: PathologicalRequest,
  { host, keepAlive = false }: { host: string; keepAlive?: boolean },
): Buffer {
  const content = Buffer.from(body);
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const lines = [...headers];
  if (!names.has("host")) lines.unshift(["Host", host]);
  if (!names.has("connection") && !keepAlive) lines.unshift(["Connection", "close"]);
  if (content.length > 0 && !names.has("transfer-encoding") && !names.has("content-length")) {
    lines.unshift(["Content-Length", String(content.length)]);
  }
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${head}\r\n`, "latin1"),
    content,
  ]);
}
