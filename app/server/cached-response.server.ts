import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Encoding, preferredEncoding } from "./accept-encoding.server";
import { PreparedResponse } from "./prepared-response.server";

/** One encoding of a response, in full and for those who have it. */
type Variant = { etag: string; full: PreparedResponse; notModified: PreparedResponse };

const NO_BODY = Buffer.alloc(0);

/** A response that is the same for everyone, cached in memory with all its headers. */
export type CachedResponse = { identity: Variant } & Partial<Record<Encoding, Variant>>;

/** Cached responses sent in full, and answered 304 because the client's copy was current. */
export type CacheStatistics = { hits: number; notModified: number };

/**
 * Builds a response to cache. `headers` are common to all encodings; ETag, Content-Encoding and
 * Content-Length are added. Leave an encoding out of `bodies` when it saves nothing.
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
      etag,
      // whoever has the page has what it needs, too
      notModified: new PreparedResponse(
        304,
        all.filter(([name]) => name?.toLowerCase() !== "link").flat(),
        NO_BODY,
      ),
      full: new PreparedResponse(
        200,
        [
          ...all,
          ...(encoding === "identity" ? [] : [["Content-Encoding", encoding]]),
          ["Content-Length", String(body.byteLength)],
        ].flat(),
        body,
      ),
    };
    return [encoding, variant];
  });
  return Object.fromEntries(variants);
}

/** Sends the smallest encoding the client accepts, or 304 when its copy is current. Ends the response. */
export function sendCached(
  { headers }: IncomingMessage,
  response: ServerResponse,
  cached: CachedResponse,
  statistics: CacheStatistics,
): void {
  const variant = cached[preferredEncoding(headers["accept-encoding"])] ?? cached.identity;
  if (matches(headers["if-none-match"], variant.etag)) {
    statistics.notModified++;
    variant.notModified.send(response);
    return;
  }
  statistics.hits++;
  variant.full.send(response);
}

/** Weak or strong, in a list, or `*`. Tags are quoted, so `includes` cannot match part of another one. */
function matches(header: string | string[] | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const text = String(header);
  return text === "*" || text.includes(etag);
}
