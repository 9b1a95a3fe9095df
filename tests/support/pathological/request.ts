/** A request that is as expensive as possible for one of the parsers that it reaches. */
export type PathologicalRequest = {
  /** The parser, and why its input is expensive. */
  name: string;
  method: "GET" | "POST";
  /** Path and query, as sent. */
  target: string;
  headers: [string, string][];
  body: string;
};

/** Size of one part, within the 16 KB to which Node limits request line and headers together. */
export const HEAD_SIZE = 15_500;

/** The site's limit for a form, and the maximum here. */
export const BODY_SIZE = 64 * 1024;

/** The filling of a text: a repeated string, or one for each index. */
export type Filling = string | ((index: number) => string);

/** `start`, the filling as often as it fits into `size` characters, and `end`. */
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

/** Returns a request for the landing page with these changes. */
export function request(
  name: string,
  given: Partial<Omit<PathologicalRequest, "name">>,
): PathologicalRequest {
  return { name, method: "GET", target: "/", headers: [], body: "", ...given };
}

/** Property names that would collide in V8's hash tables if numbers were not hashed with a seed. */
export const collidingNumber = (index: number) => String((index + 1) * 65_536);

/** The request's bytes, with a default Host, Content-Length and `Connection: close`. */
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
