import { Agent } from "node:http";
import { gunzipSync } from "node:zlib";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually";
import { type Answer, send } from "../../support/http-client";
import { type ProgramSite, startProgramSite } from "../../support/program-site";
import { expectStrictPolicy } from "../../support/security-headers";

let site: ProgramSite;

beforeAll(async () => {
  site = await startProgramSite();
  // a new edition clears the cache
  await eventually(async () =>
    expect((await send(`${site.origin}/preview/the-hour-before-the-day`)).status).toBe(200),
  );
});
afterAll(() => site?.close());

/** Whether a page is from the cache: those are not logged, and so have no request id. */
const isCached = ({ headers }: Answer) => headers["x-request-id"] === undefined;

const CACHED = [
  "/",
  "/auth",
  "/auth?tab=signup",
  "/newsletter/archive",
  "/newsletter/feed.xml",
  "/robots.txt",
  "/sitemap.xml",
];

describe("anonymous pages", () => {
  it("are the same for simultaneous visitors, with any query", async () => {
    const agent = new Agent({ maxSockets: 100 });
    const visits = Array.from({ length: 60 }, (_, i) =>
      send(`${site.origin}/${i % 3 === 0 ? `?utm_campaign=${i}` : ""}`, { agent }),
    );
    const pages = await Promise.all(visits);
    agent.destroy();
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
    expect(pages.filter((page) => !isCached(page))).toEqual([]);
  });

  it.each(CACHED)("%s is cached", async (path) => {
    const page = await send(site.origin + path);
    expect([page.status, isCached(page)]).toEqual([200, true]);
    expect(page.headers.vary).toBe("Accept-Encoding, Cookie");
  });
});

describe("pages of one visitor", () => {
  it("are never served from the cache or stored in it", async () => {
    const visitor = site.visitor();
    await visitor.signUp("private@example.test");
    for (const path of ["/", "/?utm_source=x", "/auth/forgot-password", "/robots.txt"]) {
      const page = await visitor.get(path);
      expect(page.status).toBe(200);
      expect(page.headers["x-request-id"]).toBeDefined();
      if (path !== "/robots.txt") {
        expect(page.headers["cache-control"]).toBe("private, no-store");
        expect(page.text).toContain("private@example.test");
        expectStrictPolicy(page);
      }
    }
    expect((await send(`${site.origin}/`)).text).not.toContain("private@example.test");
  });

  it("are rendered and not cached for the site's cookies, even if they are invalid", async () => {
    for (const cookie of ["session=forged", "a=b; flash=; c=d", "reading=forged"]) {
      const page = await send(`${site.origin}/`, { cookie });
      expect([page.status, isCached(page)]).toEqual([200, false]);
      expect(page.headers["cache-control"]).toBe("private, no-store");
    }
  });

  it("are still cached for the cookies of third-party scripts", async () => {
    const page = await send(`${site.origin}/`, { cookie: "xflash=1; a=session=1; session_id=2" });
    expect(page.headers["cache-control"]).toContain("public");
    expect(isCached(page)).toBe(true);
  });

  it("show a toast once, only to its visitor", async () => {
    const visitor = site.visitor();
    await visitor.post("/notice", { form: { notice: "purchase", redirectTo: "/" } });
    const first = await visitor.get("/");
    expect(first.text).toContain("Purchase Feature Coming Soon!");
    expect(first.headers["cache-control"]).toBe("private, no-store");
    for (const page of [await visitor.get("/"), await send(`${site.origin}/`)]) {
      expect(page.text).not.toContain("Purchase Feature Coming Soon!");
      expect(page.cookies).toEqual([]);
      expect(page.headers["cache-control"]).toBe("public, max-age=0, must-revalidate");
    }
  });
});

describe("issues of the newsletter", () => {
  const path = "/newsletter/the-first-mile";

  beforeAll(async () => {
    await site.database.db.execute(sql`
      insert into campaigns (slug, audience, subject, preview_text, markdown, premium, start_at)
      values ('the-first-mile', 'premium', 'The first mile', 'A start.',
        E'OPEN\\n\\n<!-- more -->\\n\\nSECRET', true, now())`);
  });

  it("are cached with any query, but only under their plain spelling", async () => {
    for (const search of ["", "?utm_source=mail", "?", "?a=b"]) {
      const page = await send(site.origin + path + search);
      expect(page.text).toContain("OPEN");
      expect(isCached(page)).toBe(true);
    }
    const escaped = await send(`${site.origin}/newsletter/the-first-mil%65`);
    expect(escaped.text).toContain("OPEN");
    expect(isCached(escaped)).toBe(false);
  });

  it("for members do not reach others, either from or through the cache", async () => {
    const member = site.visitor();
    await member.signUp("member@example.test");
    await site.database.db.execute(sql`
      update profiles set stripe_price_id = 'price_1',
        stripe_current_period_end = now() + interval '1 day'`);
    const whole = await member.get(path);
    expect(whole.text).toContain("SECRET");
    expect(whole.headers["cache-control"]).toBe("private, no-store");
    for (const visitor of [site.visitor(), site.visitor()]) {
      const page = await visitor.get(path);
      expect(page.text).toContain("OPEN");
      expect(page.text).not.toContain("SECRET");
    }
  });

  it("that do not exist are not cached, but counted", async () => {
    const requests = () => site.metric("http_request_duration_seconds_count", { status: "404" });
    const requestsBefore = await requests();
    const agent = new Agent({ maxSockets: 20 });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        send(`${site.origin}/newsletter/made-up-${n}`, { agent }),
      ),
    );
    agent.destroy();
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    expect(answers.filter(isCached)).toEqual([]);
    expect((await requests()) - requestsBefore).toBe(40);
  });

  it("that do not exist get the same response as any missing page", async () => {
    const made = await send(`${site.origin}/newsletter/made-up`, {
      headers: { "Accept-Encoding": "gzip" },
    });
    const missing = await send(`${site.origin}/nothing/here`, {
      headers: { "Accept-Encoding": "gzip" },
    });
    expect(made.status).toBe(404);
    expect(gunzipSync(made.body).toString()).toContain("Page not found");
    const own = ["content-security-policy", "content-length", "date", "x-request-id", "etag"];
    const namesOf = ({ headers }: typeof made) =>
      Object.keys(headers)
        .filter((name) => !own.includes(name))
        .toSorted();
    expect(namesOf(made)).toEqual(namesOf(missing));
    for (const name of namesOf(made)) expect(made.headers[name]).toBe(missing.headers[name]);
    expect(made.headers["x-request-id"]).toBeDefined();
    expectStrictPolicy(await send(`${site.origin}/newsletter/made-up`));
    const head = await send(`${site.origin}/newsletter/made-up`, { method: "HEAD" });
    expect(head.status).toBe(404);
    expect(head.body).toHaveLength(0);
  });
});

describe("all other responses", () => {
  it("may not be cached by proxies", async () => {
    for (const path of ["/checkout/cancelled", "/nothing/here", "/_root.data", "/auth?tab=other"]) {
      const answer = await send(site.origin + path);
      expect(answer.headers["cache-control"], path).toMatch(/private|no-store/);
    }
  });
});
