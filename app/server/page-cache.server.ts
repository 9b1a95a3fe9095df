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

/** Age beyond which a request triggers a new render of a cached page, in milliseconds. */
const TIME_TO_LIVE_MS = 60_000;

/** Maximum pages in memory; then the one requested longest ago makes room. */
const MAX_PAGES = 200;

type CachedPage = {
  kind: "cached";
  page: CachedResponse;
  preloads: string[];
  renderedAt: number;
  /** How many requests for cached pages there had been when this one was last requested. */
  requestedAt: number;
};

/** A page that does not exist, as rendered: it is not cached, since there is no end of them. */
export type MissingPage = { kind: "missing"; body: Buffer; headers: Headers };

type PageCacheOptions = {
  /** The cache key for a path and query; null if the response is not cached. */
  keyOf: (url: string) => string | null;
  /** Renders a page as a visitor without cookies sees it, on behalf of the first request for it. */
  render: (key: string, request: IncomingMessage) => Promise<Response>;
  /** Names of the cookies that make a page specific to one visitor. */
  personalCookies: readonly string[];
  /** How long a shared cache in front may send a page rendered from now on without asking; null for not at all. */
  sharedSeconds?: () => number | null;
  /** Whether the proxies in front pass 103 Early Hints on (`EARLY_HINTS`). */
  sendsEarlyHints?: boolean;
};

export type PageCacheStatistics = CacheStatistics & { renders: number; stale: number };

/**
 * Caches pages that are the same for every anonymous visitor, once per encoding. A page is rendered on its
 * first request, and concurrent requests share that render; after a minute the stale page is still served
 * while it is rendered again (stale-while-revalidate), unless it is found to be gone. At most 200 pages are
 * kept. A request that carries one of the personal cookies, matched by exact name, is never answered from the
 * cache, and a response that sets a cookie is never cached.
 */
export class PageCache {
  readonly statistics: PageCacheStatistics = { hits: 0, notModified: 0, renders: 0, stale: 0 };
  readonly #cached = new Map<string, CachedPage>();
  readonly #rendering = new Map<string, Promise<CachedPage | MissingPage | null>>();
  #generation = 0;
  #requests = 0;

  constructor(private readonly options: PageCacheOptions) {}

  /**
   * Answers the request if its page is cacheable; returns false otherwise, or the page to be answered 404, so that
   * it need not be rendered again.
   */
  answer(
    request: IncomingMessage,
    response: ServerResponse,
  ): boolean | Promise<boolean | MissingPage> {
    const key = this.#keyOf(request);
    if (key === null) return false;
    const cached = this.#cached.get(key);
    if (!cached) {
      return this.#renderOnce(key, request).then((fresh) => {
        if (!fresh) return false;
        if (fresh.kind === "missing") return fresh;
        this.#send(request, response, fresh);
        return true;
      });
    }
    if (Date.now() - cached.renderedAt > TIME_TO_LIVE_MS) {
      this.statistics.stale++;
      void this.#renderOnce(key, request);
    }
    cached.requestedAt = ++this.#requests;
    this.#send(request, response, cached);
    return true;
  }

  /** Drops every page, including those being rendered, because their content is out of date. */
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

  #send(request: IncomingMessage, response: ServerResponse, { page, preloads }: CachedPage): void {
    // one that waits for others on its connection has no socket yet, and Node would write the hints into its body
    if (this.options.sendsEarlyHints && response.socket && isFirstVisit(request)) {
      // none without links
      response.writeEarlyHints({ link: preloads });
    }
    sendCached(request, response, page, this.statistics);
  }

  #keep(key: string, cached: CachedPage): void {
    this.#cached.set(key, cached);
    if (this.#cached.size <= MAX_PAGES) return;
    const [oldest] = [...this.#cached].sort(
      ([, one], [, other]) => one.requestedAt - other.requestedAt,
    );
    if (oldest) this.#cached.delete(oldest[0]);
  }

  #renderOnce(key: string, request: IncomingMessage): Promise<CachedPage | MissingPage | null> {
    let rendering = this.#rendering.get(key);
    if (!rendering) {
      const started = this.#renderAndCache(key, request).finally(() => {
        if (this.#rendering.get(key) === started) this.#rendering.delete(key);
      });
      rendering = started;
      this.#rendering.set(key, rendering);
    }
    return rendering;
  }

  async #renderAndCache(
    key: string,
    request: IncomingMessage,
  ): Promise<CachedPage | MissingPage | null> {
    const generation = this.#generation;
    try {
      this.statistics.renders++;
      // asked before, since the page may be rendered of what was not known yet
      const sharedSeconds = this.options.sharedSeconds?.() ?? null;
      const page = await this.options.render(key, request);
      const body = Buffer.from(await page.arrayBuffer());
      if (page.status === 404) this.#cached.delete(key);
      if (page.headers.has("Set-Cookie")) return null;
      if (page.status === 404)
        return { kind: "missing", body, headers: missingHeaders(body, page) };
      if (page.status !== 200) return null;
      const cached: CachedPage = {
        kind: "cached",
        page: await encode(body, page, sharedSeconds),
        preloads: page.headers.get("Link")?.split(", ") ?? [],
        renderedAt: Date.now(),
        requestedAt: ++this.#requests,
      };
      if (generation === this.#generation) this.#keep(key, cached);
      return cached;
    } catch (error) {
      log().error({ err: error, path: key }, "a page could not be rendered for the cache");
      return null;
    }
  }
}

/**
 * Whether a browser opens a page that it does not have. Early hints are for nobody else: other programs may take any
 * answer for the final one, and HTTP/1.0 has no interim answers at all.
 */
function isFirstVisit({ method, headers, httpVersion }: IncomingMessage): boolean {
  return (
    method === "GET" &&
    headers["sec-fetch-mode"] === "navigate" &&
    headers["if-none-match"] === undefined &&
    httpVersion === "1.1"
  );
}

/** Headers beside the common ones; those set by the route take precedence. */
function missingHeaders(body: Buffer, page: Response): Headers {
  const headers = new Headers({
    "Cache-Control": "private, no-cache",
    "Content-Security-Policy": policyOf(body, page),
  });
  for (const [name, value] of page.headers) headers.set(name, value);
  return headers;
}

function policyOf(body: Buffer, page: Response): string {
  const isHtml = page.headers.get("Content-Type")?.startsWith("text/html");
  return isHtml ? pagePolicy(scriptHashes(body.toString("utf8"))) : NO_PAGE_POLICY;
}

/**
 * A browser always asks, since a page may look different once its visitor has signed in. Shared caches get their time
 * twice: CDNs read the header that is theirs alone (RFC 9213), where it is safe to serve a page while the next one is
 * fetched or the site is away; nginx and its like know `s-maxage`.
 */
function cachingHeaders(sharedSeconds: number | null): [string, string][] {
  const browsers = "public, max-age=0, must-revalidate";
  if (sharedSeconds === null) return [["Cache-Control", browsers]];
  return [
    ["Cache-Control", `${browsers}, s-maxage=${sharedSeconds}`],
    [
      "CDN-Cache-Control",
      `public, max-age=${sharedSeconds}, stale-while-revalidate=${sharedSeconds}, stale-if-error=86400`,
    ],
  ];
}

async function encode(
  body: Buffer,
  page: Response,
  sharedSeconds: number | null,
): Promise<CachedResponse> {
  const headers = new Headers(commonHeaders());
  // a route that says itself how long its answer lives means shared caches too
  if (!page.headers.has("Cache-Control")) {
    for (const [name, value] of cachingHeaders(sharedSeconds)) headers.set(name, value);
  }
  headers.set("Vary", "Accept-Encoding, Cookie");
  headers.set("Content-Security-Policy", policyOf(body, page));
  // headers set by the route take precedence, including its Cache-Control
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

/** The CSP hashes that allow a page's inline scripts. */
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
