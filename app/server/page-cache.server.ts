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

/** Maximum pages in memory; then the one rendered longest ago makes room. */
const MAX_PAGES = 200;

const ENCODINGS = ["br", "gzip"] as const;

type Variant = { body: Buffer; etag: string; headers: Record<string, string> };

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
  /** How long a shared cache in front may send a page rendered from now on without asking; null for not at all. */
  sharedSeconds?: () => number | null;
  /** Whether the proxies in front pass 103 Early Hints on (`EARLY_HINTS`). */
  sendsEarlyHints?: boolean;
};

/**
 * Caches pages that are the same for every anonymous visitor, once per encoding. A page is rendered on its first request,
 * and concurrent requests share that render; after a minute the stale page is still served while it is rendered again,
 * unless it is found to be gone. A request with one of the personal cookies is never answered from the cache, and only a
 * page with status 200 that sets no cookie is kept.
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
    if (Date.now() - cached.renderedAt > TIME_TO_LIVE_MS) void this.#renderOnce(key, request);
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
    const { body, etag, headers } = page.variants[acceptedEncoding(request, ENCODINGS)];
    if (this.options.sendsEarlyHints && headers.link && isFirstVisit(request)) {
      // one that waits for others on its connection has no socket yet, and Node would write the hints into its body
      if (response.socket) response.writeEarlyHints({ link: headers.link.split(", ") });
    }
    if (fresh(request.headers, { etag })) {
      // whoever has the page has what it needs, too
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

  /** Null for what is left to be rendered for each visitor. */
  async #render(key: string, request: IncomingMessage): Promise<CachedPage | null> {
    // asked before, since the page may be rendered of what was not known yet
    const sharedSeconds = this.options.sharedSeconds?.() ?? null;
    const page = await this.options.render(key, request);
    const body = Buffer.from(await page.arrayBuffer());
    // any other that cannot be rendered now may be there again in a minute
    if (page.status === 404) this.#pages.delete(key);
    if (page.headers.has("Set-Cookie") || page.status !== 200) return null;
    const caching = { ...cachingHeaders(sharedSeconds), Vary: "Accept-Encoding, Cookie" };
    return {
      renderedAt: Date.now(),
      variants: await encode(body, headersOf(page, body, caching)),
    };
  }
}

/** The headers of a page, in lower case: what its route sets takes precedence. */
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
  // a route that says itself how long its answer lives means shared caches too
  if (page.headers.has("Cache-Control")) headers.delete("CDN-Cache-Control");
  return Object.fromEntries(headers);
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

/**
 * A browser always asks, since a page may look different once its visitor has signed in. Shared caches get their time
 * twice: CDNs read the header that is theirs alone (RFC 9213), where it is safe to serve a page while the next one is
 * fetched or the site is away; nginx and its like know `s-maxage`.
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
    const etag = `"${digest}-${encoding}"`;
    const headers = { ...common, etag, "content-length": String(body.byteLength) };
    if (encoding !== "identity") Object.assign(headers, { "content-encoding": encoding });
    return { body, etag, headers };
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
