import type { IncomingMessage } from "node:http";

/**
 * Headers that decide whose request it is and how it is read. Of two, Node keeps the first or joins them;
 * a proxy in front may go by the last, so that each of the two sees another request.
 */
const SINGLE_HEADERS = new Set([
  "host",
  "content-type",
  "content-length",
  "transfer-encoding",
  "authorization",
  "origin",
  "sec-fetch-site",
]);

/** Most headers are told apart by their length alone; every request comes by here. */
const SINGLE_LENGTHS = new Set([...SINGLE_HEADERS].map((name) => name.length));

/** The first header of these that a request has more than once; null for none. */
export function repeatedHeader({ rawHeaders }: IncomingMessage): string | null {
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const written = rawHeaders[i] ?? "";
    if (!SINGLE_LENGTHS.has(written.length)) continue;
    const name = written.toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return null;
}

/**
 * Makes a target that names the site itself, as clients of proxies send it (RFC 9112, 3.2.2), the path it
 * stands for. One that names another host than the Host header is left alone, and refused by the guards.
 */
export function takeOriginForm(request: IncomingMessage): void {
  const { url = "/", headers } = request;
  if (url.startsWith("/") || !URL.canParse(url)) return;
  const { protocol, host } = new URL(url);
  if (!/^https?:$/.test(protocol) || host !== headers.host?.toLowerCase()) return;
  const path = url.replace(/^[^:]+:\/\/[^/?]*/, "");
  request.url = path.startsWith("/") ? path : `/${path}`;
}
