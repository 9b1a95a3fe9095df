import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Encoding, preferredEncoding } from "./accept-encoding.server";

/** One encoding of a response, ready to be written to a socket. */
type Variant = { body: Buffer; etag: string; headers: string[]; notModified: string[] };

/** A response that is the same for everybody, cached in memory with all its headers. */
export type CachedResponse = { identity: Variant } & Partial<Record<Encoding, Variant>>;

/** How often cached responses were sent, and how often a client still had what it asked for. */
export type CacheStatistics = { hits: number; notModified: number };

/**
 * Makes a response to cache. `headers` are those it has in every encoding; ETag, Content-Encoding and
 * Content-Length are added. Encodings that save nothing are left out by leaving them out of `bodies`.
 */
export function cacheResponse(
  headers: readonly (readonly [string, string])[],
  bodies: { identity: Buffer } & Partial<Record<Encoding, Buffer>>,
): CachedResponse {
  const digest = createHash("sha256").update(bodies.identity).digest("base64url").slice(0, 22);
  const variants = Object.entries(bodies).map(([encoding, body]) => {
    const etag = `"${digest}-${encoding}"`;
    const all = [...headers, ["ETag", etag]];
    const variant: Variant = {
      body,
      etag,
      notModified: all.flat(),
      headers: [
        ...all,
        ...(encoding === "identity" ? [] : [["Content-Encoding", encoding]]),
        ["Content-Length", String(body.byteLength)],
      ].flat(),
    };
    return [encoding, variant];
  });
  return Object.fromEntries(variants);
}

/** Sends the smallest encoding the client takes, or 304 when it has that already. Ends the response. */
export function sendCached(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  cached: CachedResponse,
  statistics: CacheStatistics,
): void {
  const variant = cached[preferredEncoding(headers["accept-encoding"])] ?? cached.identity;
  if (matches(headers["if-none-match"], variant.etag)) {
    statistics.notModified++;
    response.writeHead(304, variant.notModified);
    response.end();
    return;
  }
  statistics.hits++;
  response.writeHead(200, variant.headers);
  response.end(method === "HEAD" ? undefined : variant.body);
}

/** Weak or strong, one of a list or `*`; a tag stands in quotes, so it is found nowhere but as a whole. */
function matches(header: string | string[] | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const text = String(header);
  return text === "*" || text.includes(etag);
}
