import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/** What a client may be sent a text in, as HTTP calls it. */
export type Encoding = "br" | "gzip" | "identity";

/** One encoding of an answer, ready to be written to a socket. */
type Variant = { body: Buffer; etag: string; headers: string[]; notModified: string[] };

/** An answer that is the same for everybody, kept in memory with all its headers. */
export type KeptAnswer = { identity: Variant } & Partial<Record<Encoding, Variant>>;

/** How often kept answers were sent, and how often a client still had what it asked for. */
export type KeptStatistics = { hits: number; notModified: number };

/**
 * Makes an answer to keep. `headers` are those it has in every encoding; ETag, Content-Encoding and
 * Content-Length are added. Encodings that save nothing are left out by leaving them out of `bodies`.
 */
export function keepAnswer(
  headers: readonly (readonly [string, string])[],
  bodies: { identity: Buffer } & Partial<Record<Encoding, Buffer>>,
): KeptAnswer {
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
export function sendKept(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  kept: KeptAnswer,
  statistics: KeptStatistics,
): void {
  const variant = kept[preferredEncoding(headers["accept-encoding"])] ?? kept.identity;
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

/** The smallest encoding a client takes; one it gives the quality 0 it does not take. */
export function preferredEncoding(accepted: string | string[] | undefined): Encoding {
  if (accepted === undefined) return "identity";
  const text = String(accepted).toLowerCase();
  const takes = (name: string) => {
    const found = new RegExp(`(?:^|[\\s,])${name}\\s*(?:;\\s*q=([\\d.]+))?\\s*(?:,|$)`).exec(text);
    return found !== null && found[1] !== undefined ? Number(found[1]) > 0 : found !== null;
  };
  if (takes("br")) return "br";
  return takes("gzip") ? "gzip" : "identity";
}

function matches(header: string | string[] | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const text = String(header);
  return (
    text === etag ||
    text === "*" ||
    text.split(",").some((part) => part.trim().replace(/^W\//, "") === etag)
  );
}
