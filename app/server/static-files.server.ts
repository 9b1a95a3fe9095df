import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join, sep } from "node:path";
import { lookup } from "mrmime";
import {
  type CachedResponse,
  type CacheStatistics,
  cacheResponse,
  sendCached,
} from "./cached-response.server";
import { commonHeaders, NO_PAGE_POLICY } from "./response-headers.server";

const YEAR_SECONDS = 31_536_000;
const DAY_SECONDS = 86_400;

/** Compressed copies that the build writes beside a file, by extension. */
const COMPRESSED = { ".br": "br", ".gz": "gzip" } as const;

/**
 * The files of `public/`, read once at start with their brotli and gzip copies: under 2 MB in total, and sent
 * four times as fast from memory as from disk. Build output has hashed names, so browsers may cache it
 * forever.
 */
export class StaticFiles {
  readonly statistics: CacheStatistics = { hits: 0, notModified: 0 };
  readonly #files = new Map<string, CachedResponse>();

  constructor(projectRoot: string) {
    const folder = join(projectRoot, "public");
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const file = join(folder, name);
      if (isPublic(name) && statSync(file).isFile()) {
        this.#files.set(`/${name.split(sep).join("/")}`, readResponse(file, name));
      }
    }
  }

  /** Answers the request if it is for one of the files; returns false otherwise. */
  answer(request: IncomingMessage, response: ServerResponse, path: string): boolean {
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    const file = this.#files.get(path);
    if (!file) return false;
    sendCached(request, response, file, this.statistics);
    return true;
  }
}

function isPublic(name: string): boolean {
  const isHidden = name.split(sep).some((part) => part.startsWith("."));
  return !isHidden && !/\.(br|gz|map)$/.test(name);
}

function readResponse(file: string, name: string): CachedResponse {
  const copies = Object.entries(COMPRESSED).flatMap(([ending, encoding]) =>
    existsSync(file + ending) ? [[encoding, readFileSync(file + ending)] as const] : [],
  );
  const age = name.startsWith(`build${sep}`)
    ? `public, max-age=${YEAR_SECONDS}, immutable`
    : `public, max-age=${DAY_SECONDS}`;
  const headers: [string, string][] = [
    ...commonHeaders(),
    ["Content-Security-Policy", NO_PAGE_POLICY],
    ["Content-Type", lookup(name) ?? "application/octet-stream"],
    ["Cache-Control", age],
  ];
  if (copies.length > 0) headers.push(["Vary", "Accept-Encoding"]);
  return cacheResponse(headers, { identity: readFileSync(file), ...Object.fromEntries(copies) });
}
