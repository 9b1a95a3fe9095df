import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import fresh from "fresh";
import { hasCookie } from "~/http/cookies.server";
import { log } from "~/observability/log.server";
import { acceptedEncoding } from "./accepted-encoding.server";
import { commonHeaders, NO_PAGE_POLICY, pagePolicy } from "./response-headers.server";

/** Age beyond which a request triggers a new render of a cached page, in milliseconds. */
const TIME_TO_LIVE_MS = 60_000;

/** Maximum pages in memory; beyond it the one rendered longest ago is evicted. */
const MAX_PAGES = 200;

const ENCODINGS = ["br", "gzip"] as const;

type Variant = { body: Buffer; headers: Record<string, string> };

type CachedPage = {
  renderedAt: number;
  variants: Record<"identity" | (typeof ENCODINGS)[number], Variant>;
};

type PageCacheOptions = {
  /** The cache key for a path and query; null if the response is not cached. */
  keyOf: (url: string) => string | null;
  /** Renders a page as a visitor without cookies sees it, on behalf of the first request for it. */
  render: (key: string, request: IncomingMessage) => Promise<Response>;
  /** Names of the cookies that make a page specific to one visitor. */
  personalCookies: readonly string[];
  /** Seconds that a shared cache in front may serve a page rendered now without revalidating; null for not at all. */
  sharedSeconds?: () => number | null;
  /** Whether the proxies in front pass 103 Early Hints on (`EARLY_HINTS`). */
  sendsEarlyHints?: boolean;
};

/**
 * Caches pages that are the same for every anonymous visitor, once per encoding. Concurrent first requests share one
 * render. After a minute the stale page is still served while it is rendered again; a 404 then removes it. Requests
 * with a personal cookie bypass the cache. Only pages with status 200 that set no cookie are cached.
 */
export class PageCache {
  readonly #pages = new Map<string, CachedPage>();
  readonly #rendering = new Map<string, Promise<CachedPage | null>>();

  constructor(private readonly options: PageCacheOptions) {}

  /** Answers the request if its page is the same for every visitor, and resolves with whether it is. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const key = this.#keyOf(request);
    if (key === null) return false;
    const cached = this.#pages.get(key);
    if (!cached) {
      const page = await this.#renderOnce(key, request);
      if (page === null) return false;
      this.#send(request, response, page);
      return true;
    }
    if (performance.now() - cached.renderedAt > TIME_TO_LIVE_MS)
      void this.#renderOnce(key, request);
    this.#send(request, response, cached);
    return true;
  }

  /** Drops every page, including those being rendered, because their content is out of date. */
  clear(): void {
    this.#pages.clear();
    this.#rendering.clear();
  }

  #keyOf({ method, url = "/", headers: { cookie } }: IncomingMessage): string | null {
    if (method !== "GET" && method !== "HEAD") return null;
    const isPersonal = this.options.personalCookies.some((name) => hasCookie(cookie, name));
    return isPersonal ? null : this.options.keyOf(url);
  }

  #send(request: IncomingMessage, response: ServerResponse, page: CachedPage): void {
    const { body, headers } = page.variants[acceptedEncoding(request, ENCODINGS)];
    if (this.options.sendsEarlyHints && headers.link && isFirstVisit(request)) {
      // a pipelined response has no socket yet, and Node would write the hints into its body
      if (response.socket) response.writeEarlyHints({ link: headers.link.split(", ") });
    }
    if (fresh(request.headers, headers)) {
      // a browser that has the page has its assets too
      const { link: _, ...rest } = headers;
      response.writeHead(304, rest).end();
      return;
    }
    response.writeHead(200, headers).end(body);
  }

  #renderOnce(key: string, request: IncomingMessage): Promise<CachedPage | null> {
    const running = this.#rendering.get(key);
    if (running) return running;
    const rendering = this.#render(key, request)
      .then((page) => {
        // another render has begun since the cache was cleared
        if (page && this.#rendering.get(key) === rendering) this.#keep(key, page);
        return page;
      })
      .catch((error: unknown) => {
        log().error({ err: error, path: key }, "a page could not be rendered for the cache");
        return null;
      })
      .finally(() => {
        if (this.#rendering.get(key) === rendering) this.#rendering.delete(key);
      });
    this.#rendering.set(key, rendering);
    return rendering;
  }

  #keep(key: string, page: CachedPage): void {
    // a Map keeps the order of insertion
    this.#pages.delete(key);
    this.#pages.set(key, page);
    const [oldest] = this.#pages.keys();
    if (oldest !== undefined && this.#pages.size > MAX_PAGES) this.#pages.delete(oldest);
  }

  /** Null for a page that must not be cached. */
  async #render(key: string, request: IncomingMessage): Promise<CachedPage | null> {
    // read first, because its inputs may become known only during the render
    const sharedSeconds = this.options.sharedSeconds?.() ?? null;
    const page = await this.options.render(key, request);
    const body = Buffer.from(await page.arrayBuffer());
    // any other failure may be over in a minute, so the stale page stays
    if (page.status === 404) this.#pages.delete(key);
    if (page.headers.has("Set-Cookie") || page.status !== 200) return null;
    const caching = { ...cachingHeaders(sharedSeconds), Vary: "Accept-Encoding, Cookie" };
    return {
      renderedAt: performance.now(),
      variants: await encode(body, headersOf(page, body, caching)),
    };
  }
}

/** A page's headers, in lower case; those its route sets take precedence. */
function headersOf(
  page: Response,
  body: Buffer,
  caching: Record<string, string>,
): Record<string, string> {
  const isHtml = page.headers.get("Content-Type")?.startsWith("text/html");
  const policy = isHtml ? pagePolicy(scriptHashes(body.toString("utf8"))) : NO_PAGE_POLICY;
  const headers = new Headers(commonHeaders());
  headers.set("Content-Security-Policy", policy);
  for (const [name, value] of [...Object.entries(caching), ...page.headers]) {
    headers.set(name, value);
  }
  // a Cache-Control of the route's own applies to shared caches too
  if (page.headers.has("Cache-Control")) headers.delete("CDN-Cache-Control");
  return Object.fromEntries(headers);
}

/**
 * Whether a browser opens a page that it does not have. Only then are early hints sent: other programs may take an
 * interim response for the final one, and HTTP/1.0 has none.
 */
function isFirstVisit({ method, headers, httpVersion }: IncomingMessage): boolean {
  return (
    method === "GET" &&
    headers["sec-fetch-mode"] === "navigate" &&
    headers["if-none-match"] === undefined &&
    httpVersion === "1.1"
  );
}

/**
 * Browsers always revalidate, since a page may look different once its visitor has signed in. Shared caches get their
 * lifetime twice: CDNs read CDN-Cache-Control (RFC 9213), nginx and the like `s-maxage`. Only CDNs may serve stale
 * pages.
 */
function cachingHeaders(sharedSeconds: number | null): Record<string, string> {
  const browsers = "public, max-age=0, must-revalidate";
  if (sharedSeconds === null) return { "Cache-Control": browsers };
  return {
    "Cache-Control": `${browsers}, s-maxage=${sharedSeconds}`,
    "CDN-Cache-Control": `public, max-age=${sharedSeconds}, stale-while-revalidate=${sharedSeconds}, stale-if-error=86400`,
  };
}

/** A page's encodings, each with an ETag of its own. */
async function encode(
  identity: Buffer,
  common: Record<string, string>,
): Promise<CachedPage["variants"]> {
  const digest = createHash("sha256").update(identity).digest("base64url").slice(0, 22);
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(identity),
    promisify(gzip)(identity),
  ]);
  const variant = (encoding: string, body: Buffer) => {
    const headers = {
      ...common,
      ...(encoding !== "identity" && { "content-encoding": encoding }),
      "content-length": String(body.byteLength),
      etag: `"${digest}-${encoding}"`,
    };
    return { body, headers };
  };
  return {
    identity: variant("identity", identity),
    br: variant("br", br),
    gzip: variant("gzip", gz),
  };
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
