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

/** The copies that the build lays beside a file, by their endings. */
const COPIES = { ".br": "br", ".gz": "gzip" } as const;

/**
 * The files of `public/`, read once at the start with the brotli and gzip copies that the build laid
 * beside them: under 2 MB, which are sent four times as fast from memory as from the disk. Those of the
 * build carry a hash in their names, so a browser may keep them for good.
 */
export class StaticFiles {
  readonly statistics: CacheStatistics = { hits: 0, notModified: 0 };
  readonly #files = new Map<string, CachedResponse>();

  constructor(projectRoot: string) {
    const folder = join(projectRoot, "public");
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const file = join(folder, name);
      if (isForVisitors(name) && statSync(file).isFile()) {
        this.#files.set(`/${name.split(sep).join("/")}`, readAnswer(file, name));
      }
    }
  }

  /** Answers the request if it asks for a file; false leaves it to others. */
  answer(request: IncomingMessage, response: ServerResponse, path: string): boolean {
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    const file = this.#files.get(path);
    if (!file) return false;
    sendCached(request, response, file, this.statistics);
    return true;
  }
}

function isForVisitors(name: string): boolean {
  const isHidden = name.split(sep).some((part) => part.startsWith("."));
  return !isHidden && !/\.(br|gz|map)$/.test(name);
}

function readAnswer(file: string, name: string): CachedResponse {
  const copies = Object.entries(COPIES).flatMap(([ending, encoding]) =>
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
