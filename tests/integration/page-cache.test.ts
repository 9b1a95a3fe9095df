import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import { PageCache } from "~/server/page-cache.server";
import { send } from "../support/http-client";
import { watchLog } from "../support/log";

const PAGE = `<!DOCTYPE html><script>hello()</script>${"<p>The path goes on.</p>".repeat(50)}`;

/** The current render function; a test may replace it with a slow or failing one. */
let render: (path: string) => Promise<Response>;
let renders = 0;
let cache: PageCache;
let server: Server;
let origin: string;

const page = (html = PAGE, init: ResponseInit = {}) =>
  new Response(html, { ...init, headers: { "Content-Type": "text/html", ...init.headers } });

const newCache = (options: Partial<ConstructorParameters<typeof PageCache>[0]> = {}) =>
  new PageCache({
    keyOf: (url) => (url.startsWith("/?") ? "/" : /^\/(\d+)?$/.test(url) ? url : null),
    render: (path) => {
      renders += 1;
      return render(path);
    },
    personalCookies: ["session", "flash"],
    ...options,
  });

beforeAll(async () => {
  setEnvironment({ LOG_LEVEL: "silent" });
  server = createServer(async (request, response) => {
    if (!(await cache.answer(request, response))) response.writeHead(299).end("not cached");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  setEnvironment({});
});
beforeEach(() => {
  render = async () => page();
  renders = 0;
  cache = newCache();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const get = (path = "/", headers: Record<string, string> = {}, method = "GET") =>
  send(origin + path, { method, headers });

/** Advances the clock that makes pages stale. */
function passSeconds(seconds: number): void {
  const later = performance.now() + seconds * 1_000;
  vi.spyOn(performance, "now").mockReturnValue(later);
}

/** Makes the next render wait until the returned function is called. */
function heldRender(html: string): () => void {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  render = async () => {
    await held;
    return page(html);
  };
  return letGo;
}

describe("a cached page", () => {
  it("is the same in every encoding, each with its own ETag", async () => {
    const [identity, gzip, br] = await Promise.all([
      get(),
      get("/", { "Accept-Encoding": "gzip" }),
      get("/", { "Accept-Encoding": "gzip, deflate, br" }),
    ]);
    expect(identity.text).toBe(PAGE);
    expect(gunzipSync(gzip.body).toString()).toBe(PAGE);
    expect(brotliDecompressSync(br.body).toString()).toBe(PAGE);
    expect(br.body.length).toBeLessThan(identity.body.length);
    expect(new Set([identity, gzip, br].map(({ headers }) => headers.etag)).size).toBe(3);
    expect([identity, gzip, br].map(({ headers }) => headers["content-encoding"])).toEqual([
      undefined,
      "gzip",
      "br",
    ]);
    for (const { headers, body } of [identity, gzip, br]) {
      expect(headers["content-length"]).toBe(String(body.length));
      expect(headers.vary).toBe("Accept-Encoding, Cookie");
      expect(headers["cache-control"]).toBe("public, max-age=0, must-revalidate");
    }
  });

  it("is not sent again to a client that has it in that encoding", async () => {
    const { headers } = await get("/", { "Accept-Encoding": "br" });
    const etag = String(headers.etag);
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await get("/", { "Accept-Encoding": "br", "If-None-Match": tags });
      expect(again.status).toBe(304);
      expect(again.body).toHaveLength(0);
      expect(again.headers).toMatchObject({
        etag,
        vary: "Accept-Encoding, Cookie",
        "content-security-policy": headers["content-security-policy"],
      });
    }
    expect((await get("/", { "If-None-Match": etag })).status).toBe(200);
    expect((await get("/", { "Accept-Encoding": "br", "If-None-Match": '"x"' })).status).toBe(200);
  });

  it("is dropped when the cache is cleared, even during its rendering", async () => {
    render = async () => page("<p>$1</p>");
    expect((await get()).text).toBe("<p>$1</p>");
    render = async () => page("<p>$2</p>");
    cache.clear();
    expect((await get()).text).toBe("<p>$2</p>");

    cache.clear();
    const letGo = heldRender("<p>$2</p>");
    const before = get();
    await expect.poll(() => renders).toBe(3);
    cache.clear();
    render = async () => page("<p>$3</p>");
    expect((await get()).text).toBe("<p>$3</p>");
    letGo();
    await before;
    expect((await get()).text).toBe("<p>$3</p>");
  });

  it("has the same headers for HEAD as for GET", async () => {
    const full = await get("/", { "Accept-Encoding": "br" });
    const head = await get("/", { "Accept-Encoding": "br" }, "HEAD");
    const { date: _1, ...fullHeaders } = full.headers;
    const { date: _2, ...headHeaders } = head.headers;
    expect(headHeaders).toEqual(fullHeaders);
    expect(head.body).toHaveLength(0);
  });

  it("is shared by all URLs with the same key", async () => {
    for (const query of ["", "?utm_source=a", "?fbclid=1&x=2"]) await get(`/${query}`);
    expect(renders).toBe(1);
  });

  it("allows exactly its inline scripts, by their hashes", async () => {
    const scripts = ["hello()", "\nfirst();\nsecond();\n", "hello()"];
    const html = `<!DOCTYPE html>
      <script type="application/ld+json">{}</script>
      <script src="/build/root.js"></script><script type="module" src="/build/entry.js"></script>
      <script>${scripts[0]}</script><script data-source="x">${scripts[1]}</script>
      <script async="">${scripts[2]}</script>`;
    render = async () => page(html, { headers: { "Content-Type": "text/html; charset=utf-8" } });
    const { headers } = await get();
    const [first, second] = scripts.map((script) =>
      createHash("sha256").update(script).digest("base64"),
    );
    expect(headers["content-security-policy"]).toContain(
      ` script-src 'self' 'sha256-${first}' 'sha256-${second}'; `,
    );
  });
});

describe("early hints", () => {
  const STYLE = "</app.css>; rel=preload; as=style";
  const FONT = '</a.woff2>; rel=preload; as=font; type="font/woff2"; crossorigin';
  const NAVIGATION = { "Sec-Fetch-Mode": "navigate" };

  function sendEarlyHints(sendsEarlyHints: boolean): void {
    cache = newCache({ sendsEarlyHints });
    render = async () => page(PAGE, { headers: { Link: `${STYLE}, ${FONT}` } });
  }

  /** The Link headers of the interim responses, and the status of the final one. */
  async function ask(headers: Record<string, string>, method = "GET") {
    const outgoing = request(origin, { method, headers });
    const hints: unknown[] = [];
    outgoing.on("information", (interim) => hints.push([interim.statusCode, interim.headers.link]));
    const answered = new Promise<IncomingMessage>((done, fail) => {
      outgoing.once("response", done).once("error", fail);
    });
    outgoing.end();
    const response = await answered;
    response.resume();
    return { hints, status: response.statusCode, headers: response.headers };
  }

  it("come before a page that a browser opens for the first time", async () => {
    sendEarlyHints(true);
    const link = `${STYLE}, ${FONT}`;
    for (const _time of ["rendered", "cached"]) {
      const answer = { hints: [[103, link]], status: 200, headers: { link } };
      expect(await ask(NAVIGATION)).toMatchObject(answer);
    }
  });

  it("are not sent to other clients, or for a page that the client has", async () => {
    sendEarlyHints(true);
    const { etag = "" } = (await ask(NAVIGATION)).headers;
    expect((await ask({})).hints).toEqual([]);
    expect((await ask({ "Sec-Fetch-Mode": "cors" })).hints).toEqual([]);
    expect((await ask(NAVIGATION, "HEAD")).hints).toEqual([]);
    const again = await ask({ ...NAVIGATION, "If-None-Match": etag });
    expect(again).toMatchObject({ hints: [], status: 304 });
    expect(again.headers).not.toHaveProperty("link");
  });

  it("are not sent unless the settings say that the proxies forward them", async () => {
    sendEarlyHints(false);
    expect((await ask(NAVIGATION)).hints).toEqual([]);
  });
});

describe("a shared cache in front", () => {
  it("may store a page that was complete when its rendering began", async () => {
    let seconds: number | null = null;
    cache = newCache({ sharedSeconds: () => seconds });
    render = async () => {
      seconds = 300;
      return page();
    };
    const provisional = await get("/");
    expect(provisional.headers["cache-control"]).toBe("public, max-age=0, must-revalidate");
    expect(provisional.headers).not.toHaveProperty("cdn-cache-control");
    cache.clear();
    const complete = await get("/");
    expect(complete.headers["cache-control"]).toContain("s-maxage=300");
    expect(complete.headers["cdn-cache-control"]).toContain("max-age=300");
  });

  it("may not store a page whose route forbids it", async () => {
    cache = newCache({ sharedSeconds: () => 300 });
    render = async () => page(PAGE, { headers: { "Cache-Control": "private, no-store" } });
    const { headers } = await get("/");
    expect(headers["cache-control"]).toBe("private, no-store");
    expect(headers).not.toHaveProperty("cdn-cache-control");
  });
});

describe("exclusions from the cache", () => {
  it.each<[string, string, Record<string, string>, method?: string]>([
    ["with a session cookie", "/", { Cookie: "session=abc" }],
    ["with a flash cookie among others", "/", { Cookie: "theme=dark; flash=abc; x=y" }],
    ["that posts", "/", {}, "POST"],
    ["for a page without a key", "/premium", {}],
  ])("a request %s is passed on", async (_what, path, headers, method) => {
    await get();
    expect((await get(path, headers, method)).status).toBe(299);
    expect(renders).toBe(1);
  });

  it("do not include other cookies", async () => {
    const Cookie = "_ga=1; ga_session=1; xflash=2; __Host-session=3; session_id=4; flash2=5";
    expect((await get("/", { Cookie })).status).toBe(200);
  });

  it.each([
    ["sets a cookie", page(PAGE, { headers: { "Set-Cookie": "a=b" } })],
    ["failed", page(PAGE, { status: 500 })],
    ["is of a page that does not exist", page(PAGE, { status: 404 })],
    ["leads elsewhere", new Response(null, { status: 302, headers: { Location: "/" } })],
  ])("a response that %s", async (_name, answer) => {
    render = async () => answer.clone();
    expect((await get()).status).toBe(299);
    expect((await get()).status).toBe(299);
    expect(renders).toBe(2);
    render = async () => page();
    expect((await get()).text).toBe(PAGE);
  });

  it("a page that could not be rendered", async () => {
    const lines = watchLog();
    const error = new Error("on purpose");
    render = async () => {
      throw error;
    };
    expect((await get()).status).toBe(299);
    const message = "a page could not be rendered for the cache";
    expect(lines).toEqual([{ level: "error", message, facts: { err: error, path: "/" } }]);
  });
});

describe("rendering", () => {
  it("happens once for concurrent requests", async () => {
    const letGo = heldRender(PAGE);
    const waiting = Promise.all(Array.from({ length: 100 }, () => get()));
    await expect.poll(() => renders).toBeGreaterThan(0);
    letGo();
    for (const { text } of await waiting) expect(text).toBe(PAGE);
    expect(renders).toBe(1);
  });

  it("serves the stale page at once while a new one is rendered", async () => {
    await get();
    passSeconds(61);
    const letGo = heldRender("<p>news</p>");
    const during = await Promise.all(Array.from({ length: 20 }, () => get()));
    expect(during.every(({ text }) => text === PAGE)).toBe(true);
    expect(renders).toBe(2);

    letGo();
    await expect.poll(async () => (await get()).text).toBe("<p>news</p>");
    expect(renders).toBe(2);
  });

  it("keeps the old page after a failure", async () => {
    await get();
    passSeconds(61);
    render = async () => page("broken", { status: 500 });
    expect((await get()).text).toBe(PAGE);
    await expect.poll(() => renders).toBe(2);
    expect((await get()).text).toBe(PAGE);
  });
});

describe("the memory", () => {
  it("holds 200 pages, and drops the one rendered longest ago", async () => {
    for (let number = 1; number <= 201; number++) await get(`/${number}`);
    await get("/2");
    expect(renders).toBe(201);
    await get("/1");
    expect(renders).toBe(202);
  });
});
