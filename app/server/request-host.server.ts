import type { IncomingMessage } from "node:http";

/**
 * Headers that decide who sent a request and how it is interpreted. Of duplicates Node keeps the first or
 * joins them; a proxy in front may use the last, and the two would interpret the request differently.
 */
const SINGLE_HEADERS = [
  "host",
  "content-type",
  "content-length",
  "transfer-encoding",
  "authorization",
  "origin",
  "sec-fetch-site",
];

/** A bit for each of these headers. */
const BITS = new Map(SINGLE_HEADERS.map((name, index) => [name, 1 << index]));

/** The last five bits of a letter are the same in upper and in lower case. */
const letterBit = (name: string) => 1 << (name.charCodeAt(0) & 31);

/** By the length of a name, the letters that these begin with: both rule out most headers of every request at once. */
const FIRST_LETTERS: number[] = Array(32).fill(0);
for (const name of SINGLE_HEADERS) {
  FIRST_LETTERS[name.length] = (FIRST_LETTERS[name.length] ?? 0) | letterBit(name);
}

/** The first of these headers that a request repeats; null for none. */
export function repeatedHeader({ rawHeaders }: IncomingMessage): string | null {
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const written = rawHeaders[i] ?? "";
    const letters = written.length < FIRST_LETTERS.length ? FIRST_LETTERS[written.length] : 0;
    if (!letters || (letters & letterBit(written)) === 0) continue;
    const name = written.toLowerCase();
    const bit = BITS.get(name) ?? 0;
    if ((seen & bit) !== 0) return name;
    seen |= bit;
  }
  return null;
}

/**
 * Replaces an absolute-form target, as clients of proxies send it (RFC 9112, 3.2.2), by its path if it names
 * the same host as the Host header. One that names another host is left alone, and the guards reject it.
 */
export function normalizeRequestTarget(request: IncomingMessage): void {
  const { url = "/", headers } = request;
  if (url.startsWith("/")) return;
  const target = /^https?:\/\/[^\\/?#]+(.*)$/i.exec(url)?.[1];
  if (target === undefined || !URL.canParse(url)) return;
  if (new URL(url).host !== headers.host?.toLowerCase()) return;
  request.url = target.startsWith("/") ? target : `/${target}`;
}

/**
 * What `new URL` resolves or drops in a path: a backslash, a fragment, spaces and control characters, an empty segment, and
 * `.` or `..`, also escaped.
 */
const REWRITTEN = /[\\#]|[^!-\uffff]|\/\/|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * Whether `new URL` would read another path than is written, once its characters are escaped. Such a path has endless
 * spellings: the guards, the caches and the route table would each see another address than the page that is rendered.
 */
export function isRewrittenByUrl(path: string): boolean {
  return REWRITTEN.test(path);
}
