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

/** The first of these headers that a request repeats; null for none. */
export function repeatedHeader({ rawHeaders }: IncomingMessage): string | null {
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? "";
    if (seen.has(name)) return name;
    if (SINGLE_HEADERS.has(name)) seen.add(name);
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
 * Whether `new URL` would change the path, or it has an empty segment. Otherwise the guards, the caches and the route
 * table would see another path than the page that is rendered.
 */
export function isRewrittenByUrl(path: string): boolean {
  const base = "http://site.invalid";
  if (path.includes("//") || !URL.canParse(path, base)) return true;
  const { pathname, href } = new URL(path, base);
  return pathname !== path || href !== base + path;
}
