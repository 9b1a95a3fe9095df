import type { IncomingMessage } from "node:http";

/**
 * Headers that decide who sent a request and how it is interpreted. Of duplicates Node keeps the first or
 * joins them; a proxy in front may use the last, and the two would interpret the request differently.
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

/** Length alone rules out most headers, which matters because this runs on every request. */
const SINGLE_LENGTHS = new Set([...SINGLE_HEADERS].map((name) => name.length));

/** The first of these headers that a request repeats; null for none. */
export function repeatedHeader({ rawHeaders }: IncomingMessage): string | null {
  const seen: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const written = rawHeaders[i] ?? "";
    if (!SINGLE_LENGTHS.has(written.length)) continue;
    const name = written.toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.includes(name)) return name;
    seen.push(name);
  }
  return null;
}

/**
 * Replaces an absolute-form target, as clients of proxies send it (RFC 9112, 3.2.2), by its path if it names
 * the same host as the Host header. One that names another host is left alone, and the guards reject it.
 */
export function normalizeRequestTarget(request: IncomingMessage): void {
  const { url = "/", headers } = request;
  if (url.startsWith("/") || !URL.canParse(url)) return;
  const { protocol, host } = new URL(url);
  if (!/^https?:$/.test(protocol) || host !== headers.host?.toLowerCase()) return;
  const path = url.replace(/^[^:]+:\/\/[^/?]*/, "");
  request.url = path.startsWith("/") ? path : `/${path}`;
}
