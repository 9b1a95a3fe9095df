import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { hasCookie } from "./cookies.server";
import { type KeptAnswer, type KeptStatistics, keepAnswer, sendKept } from "./kept-answer.server";
import { log } from "./log.server";
import { commonHeaders, pagePolicy } from "./response-headers.server";

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** A kept page is rendered again when a request finds it older than this, in milliseconds. */
const TIME_TO_LIVE_MS = 60_000;

/** The pages that are the same for everybody who is not signed in, by path and query. */
const KEPT = new Set(["/", "/auth", "/auth?tab=signup", "/robots.txt", "/sitemap.xml"]);

type Kept = { page: KeptAnswer; renderedAt: number };

/** Renders a page as for a visitor without cookies. */
export type RenderAnonymous = (path: string) => Promise<Response>;

export type PageCacheStatistics = KeptStatistics & { renders: number; stale: number };

/**
 * Keeps the pages that every anonymous visitor gets alike, once for each encoding. A page is rendered by
 * its first visitor, once however many wait; after a minute the next visitor still gets it at once
 * while it is rendered again. Memory is bounded by the fixed list of pages. Never answers a request
 * that carries one of `personalCookies`, by their exact names, and never keeps an answer that sets a cookie.
 */
export class PageCache {
  readonly statistics: PageCacheStatistics = { hits: 0, notModified: 0, renders: 0, stale: 0 };
  readonly #kept = new Map<string, Kept>();
  readonly #rendering = new Map<string, Promise<Kept | null>>();

  constructor(
    private readonly render: RenderAnonymous,
    private readonly personalCookies: readonly string[],
  ) {}

  /** Answers the request if it asks for a kept page; false leaves it to others. */
  answer(request: IncomingMessage, response: ServerResponse): boolean | Promise<boolean> {
    const key = this.#keyOf(request);
    if (key === null) return false;
    const kept = this.#kept.get(key);
    if (!kept) {
      return this.#renderOnce(key).then((fresh) => {
        if (!fresh) return false;
        sendKept(request, response, fresh.page, this.statistics);
        return true;
      });
    }
    if (Date.now() - kept.renderedAt > TIME_TO_LIVE_MS) {
      this.statistics.stale++;
      void this.#renderOnce(key);
    }
    sendKept(request, response, kept.page, this.statistics);
    return true;
  }

  #keyOf({ method, url = "/", headers }: IncomingMessage): string | null {
    if (method !== "GET" && method !== "HEAD") return null;
    const { cookie } = headers;
    if (cookie !== undefined && this.personalCookies.some((name) => hasCookie(cookie, name))) {
      return null;
    }
    if (KEPT.has(url)) return url;
    // what an advertiser hangs on the landing page's address changes nothing in it
    return url.startsWith("/?") && !url.includes("_data=") ? "/" : null;
  }

  #renderOnce(key: string): Promise<Kept | null> {
    let rendering = this.#rendering.get(key);
    if (!rendering) {
      rendering = this.#renderAndKeep(key).finally(() => this.#rendering.delete(key));
      this.#rendering.set(key, rendering);
    }
    return rendering;
  }

  async #renderAndKeep(key: string): Promise<Kept | null> {
    try {
      this.statistics.renders++;
      const page = await this.render(key);
      const body = Buffer.from(await page.arrayBuffer());
      if (page.status !== 200 || page.headers.has("Set-Cookie")) return null;
      const kept = { page: await encode(body, page), renderedAt: Date.now() };
      this.#kept.set(key, kept);
      return kept;
    } catch (error) {
      log().error({ err: error, path: key }, "a page could not be rendered for the cache");
      return null;
    }
  }
}

async function encode(body: Buffer, page: Response): Promise<KeptAnswer> {
  const type = page.headers.get("Content-Type") ?? "text/html; charset=utf-8";
  const headers: [string, string][] = [
    ...commonHeaders(),
    ["Content-Security-Policy", pagePolicy(scriptHashes(body.toString("utf8")))],
    ["Content-Type", type],
    ["Cache-Control", "public, max-age=0, must-revalidate"],
    ["Vary", "Accept-Encoding, Cookie"],
  ];
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
  return keepAnswer(headers, { identity: body, br, gzip: gz });
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
