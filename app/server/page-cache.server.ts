import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { hasCookie } from "~/http/cookies.server";
import { log } from "~/observability/log.server";
import {
  type CachedResponse,
  type CacheStatistics,
  cacheResponse,
  sendCached,
} from "./cached-response.server";
import { commonHeaders, NO_PAGE_POLICY, pagePolicy } from "./response-headers.server";

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** A cached page is rendered again when a request finds it older than this, in milliseconds. */
const TIME_TO_LIVE_MS = 60_000;

type CachedPage = { page: CachedResponse; renderedAt: number };

type PageCacheOptions = {
  /** The address under which the answer to a path and query is cached; null for one that is not. */
  keyOf: (url: string) => string | null;
  /** Renders a page as for a visitor without cookies. */
  render: (key: string) => Promise<Response>;
  /** Names of the cookies whose holders get pages of their own. */
  personalCookies: readonly string[];
};

export type PageCacheStatistics = CacheStatistics & { renders: number; stale: number };

/**
 * Caches the pages that every anonymous visitor gets alike, once for each encoding. A page is rendered by
 * its first visitor, once however many wait; after a minute the next visitor still gets it at once
 * while it is rendered again. Memory is bounded by the keys there are. Never answers a request
 * that carries one of the personal cookies, by their exact names, and never caches a response that sets a cookie.
 */
export class PageCache {
  readonly statistics: PageCacheStatistics = { hits: 0, notModified: 0, renders: 0, stale: 0 };
  readonly #cached = new Map<string, CachedPage>();
  readonly #rendering = new Map<string, Promise<CachedPage | null>>();
  #generation = 0;

  constructor(private readonly options: PageCacheOptions) {}

  /** Answers the request if it asks for a cached page; false leaves it to others. */
  answer(request: IncomingMessage, response: ServerResponse): boolean | Promise<boolean> {
    const key = this.#keyOf(request);
    if (key === null) return false;
    const cached = this.#cached.get(key);
    if (!cached) {
      return this.#renderOnce(key).then((fresh) => {
        if (!fresh) return false;
        sendCached(request, response, fresh.page, this.statistics);
        return true;
      });
    }
    if (Date.now() - cached.renderedAt > TIME_TO_LIVE_MS) {
      this.statistics.stale++;
      void this.#renderOnce(key);
    }
    sendCached(request, response, cached.page, this.statistics);
    return true;
  }

  /** Drops every page, also those that are being rendered: what they show is no longer true. */
  clear(): void {
    this.#generation++;
    this.#cached.clear();
    this.#rendering.clear();
  }

  #keyOf({ method, url = "/", headers }: IncomingMessage): string | null {
    if (method !== "GET" && method !== "HEAD") return null;
    const { cookie } = headers;
    if (
      cookie !== undefined &&
      this.options.personalCookies.some((name) => hasCookie(cookie, name))
    ) {
      return null;
    }
    return url.includes("_data=") ? null : this.options.keyOf(url);
  }

  #renderOnce(key: string): Promise<CachedPage | null> {
    let rendering = this.#rendering.get(key);
    if (!rendering) {
      const started = this.#renderAndCache(key).finally(() => {
        if (this.#rendering.get(key) === started) this.#rendering.delete(key);
      });
      rendering = started;
      this.#rendering.set(key, rendering);
    }
    return rendering;
  }

  async #renderAndCache(key: string): Promise<CachedPage | null> {
    const generation = this.#generation;
    try {
      this.statistics.renders++;
      const page = await this.options.render(key);
      const body = Buffer.from(await page.arrayBuffer());
      if (page.status !== 200 || page.headers.has("Set-Cookie")) return null;
      const cached = { page: await encode(body, page), renderedAt: Date.now() };
      if (generation === this.#generation) this.#cached.set(key, cached);
      return cached;
    } catch (error) {
      log().error({ err: error, path: key }, "a page could not be rendered for the cache");
      return null;
    }
  }
}

async function encode(body: Buffer, page: Response): Promise<CachedResponse> {
  const isHtml = page.headers.get("Content-Type")?.startsWith("text/html");
  const headers = new Headers(commonHeaders());
  headers.set("Cache-Control", "public, max-age=0, must-revalidate");
  headers.set("Vary", "Accept-Encoding, Cookie");
  headers.set(
    "Content-Security-Policy",
    isHtml ? pagePolicy(scriptHashes(body.toString("utf8"))) : NO_PAGE_POLICY,
  );
  // what the route itself says counts, down to how long others may keep its answer
  for (const [name, value] of page.headers) headers.set(name, value);
  const [br, gz] = await Promise.all([
    compressBrotli(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      },
    }),
    compressGzip(body, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  return cacheResponse([...headers], { identity: body, br, gzip: gz });
}

/** The hashes by which a policy lets a page's inline scripts run. */
function scriptHashes(html: string): string[] {
  const hashes = new Set<string>();
  for (const [, attributes = "", script = ""] of html.matchAll(
    /<script([^>]*)>([\s\S]*?)<\/script>/g,
  )) {
    if (/\ssrc=/.test(attributes) || /type="application\/ld\+json"/.test(attributes)) continue;
    hashes.add(`'sha256-${createHash("sha256").update(script).digest("base64")}'`);
  }
  return [...hashes];
}
