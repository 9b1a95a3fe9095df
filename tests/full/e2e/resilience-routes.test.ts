import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { type Answer, openConnection, send, type Visitor } from "../../support/http-client";
import { METRICS_TOKEN, type ProgramSite, startProgramSite } from "../../support/program-site";
import {
  expectSecurityHeaders,
  expectStrictPolicy,
  policyOf,
} from "../../support/security-headers";
import { type Contents, changedTables, readContents } from "../../support/tables";

/** A status, or a redirect as `302 /where`. */
type Expected = string;

/** A route's responses; of two, the first is without a session and the second with one. */
type Route = {
  path: string;
  /** Whether other sites' pages may show it. */
  embeddable?: true;
  get: Expected | [Expected, Expected];
  /** The response to a genuine form, and the tables it may write to. */
  post?: {
    form: Record<string, string>;
    answers: Expected | [Expected, Expected];
    /** Rate limits count every attempt, so this only lists other tables. */
    writes?: [string[], string[]];
    /** Whether it is accepted from other origins. */
    foreign?: true;
  };
};

const credentials = { email: "new@example.test", password: "a long walk" };

/** By the route's folder in app/routes. */
const routes: Record<string, Route> = {
  "[.]well-known.change-password": {
    path: "/.well-known/change-password",
    get: ["302 /auth/forgot-password", "302 /account#password"],
  },
  // without SECURITY_CONTACT
  "[.]well-known.security[.]txt": { path: "/.well-known/security.txt", get: "404" },
  _index: { path: "/", get: "200" },
  $: { path: "/nothing/here", get: "404" },
  account: { path: "/account", get: ["302 /auth?leads-to=%2Faccount", "200"] },
  "account_.confirmation": {
    path: "/account/confirmation",
    get: "302 /account#email",
    post: {
      form: {},
      answers: ["302 /auth?leads-to=%2Faccount", "303 /account#email"],
      writes: [[], ["mails", "users"]],
    },
  },
  // a visitor who has just signed up has entered the password recently
  "account_.delete": {
    path: "/account/delete",
    get: ["302 /auth?leads-to=%2Faccount%2Fdelete", "200"],
    post: {
      form: {},
      answers: ["302 /auth?leads-to=%2Faccount%2Fdelete", "303 /"],
      writes: [[], ["former_accounts", "mails", "profiles", "sessions", "users"]],
    },
  },
  "account_.email": {
    path: "/account/email",
    get: "302 /account#email",
    post: {
      form: { email: "moved@example.test", password: "made up" },
      answers: ["307 /auth/unsaved?to=%2Faccount%2Femail", "303 /account#email"],
    },
  },
  "account_.email_.confirm": {
    path: "/account/email/confirm?token=made-up",
    get: "303 /auth/old-link?of=change",
    post: {
      form: { token: "made-up" },
      answers: ["302 /auth?leads-to=%2Faccount", "303 /auth/old-link?of=change"],
    },
  },
  "account_.email_.undo": {
    path: "/account/email/undo?token=made-up",
    get: "303 /auth/old-link?of=undo",
    post: { form: { token: "made-up" }, answers: "303 /auth/old-link?of=undo" },
  },
  "account_.newsletter": {
    path: "/account/newsletter",
    get: "302 /account#newsletter",
    post: {
      form: { intent: "subscribe" },
      answers: ["302 /auth?leads-to=%2Faccount", "303 /account#newsletter"],
      writes: [[], ["mails", "subscribers"]],
    },
  },
  "account_.password": {
    path: "/account/password",
    get: "302 /account#password",
    post: {
      form: { password: "made up", newPassword: "another one" },
      answers: ["302 /auth?leads-to=%2Faccount", "303 /account#password"],
    },
  },
  "account_.sessions": {
    path: "/account/sessions",
    get: "302 /account#sessions",
    post: {
      form: { intent: "end-others" },
      answers: ["302 /auth?leads-to=%2Faccount", "303 /account#sessions"],
    },
  },
  "account_.verify": {
    path: "/account/verify",
    get: ["302 /auth?leads-to=%2Faccount", "200"],
    post: {
      form: { password: "made up" },
      answers: ["302 /auth?leads-to=%2Faccount", "303 /account/verify?next=%2Faccount"],
    },
  },
  "account_.data[.]json": {
    path: "/account/data.json",
    get: ["302 /auth?leads-to=%2Faccount", "200"],
  },
  "account_.picture": {
    path: "/account/picture",
    get: "302 /account#picture",
    post: {
      form: { intent: "remove" },
      answers: ["302 /auth?leads-to=%2Faccount", "303 /account#picture"],
      // its row is locked by writing to it, whether it has a picture or not
      writes: [[], ["users"]],
    },
  },
  // nobody has this picture
  "avatars.$name": { path: `/avatars/${"0".repeat(64)}.webp`, get: "404" },
  "account_.passkeys": {
    path: "/account/passkeys",
    get: "302 /account#passkeys",
    post: {
      form: { intent: "rename", passkey: "someoneelses", name: "Mine" },
      answers: ["302 /auth?leads-to=%2Faccount", "303 /account#passkeys"],
    },
  },
  auth: { path: "/auth", get: ["200", "302 /"] },
  "auth_.confirm-email": {
    path: "/auth/confirm-email?token=made-up",
    get: "303 /auth/old-link?of=confirmation",
    post: { form: { token: "made-up" }, answers: "303 /auth/old-link?of=confirmation" },
  },
  "auth_.old-link": { path: "/auth/old-link?of=undo", get: "200" },
  "auth_.unsaved": {
    path: "/auth/unsaved?to=%2Faccount%2Femail",
    get: "302 /",
    post: { form: { email: "moved@example.test" }, answers: "200" },
  },
  "auth_.forgot-password": {
    path: "/auth/forgot-password",
    get: "200",
    post: {
      form: { email: "nobody@example.test" },
      answers: "303 /auth/forgot-password?sent",
    },
  },
  "auth_.login": {
    path: "/auth/login",
    get: "302 /auth",
    post: {
      form: { email: "walker@example.test", password: "a long walk" },
      answers: "303 /auth?signed-in=…",
      writes: [["sessions"], ["sessions"]],
    },
  },
  "auth_.passkey": {
    path: "/auth/passkey",
    get: "302 /auth",
    // requesting a challenge writes nothing, for any visitor
    post: { form: { intent: "sign-in-options" }, answers: "303 /auth" },
  },
  "auth_.reset-password": {
    path: "/auth/reset-password?token=made-up",
    get: "303 /auth/forgot-password?old",
    post: {
      form: { token: "x".repeat(43), password: "another one" },
      answers: "303 /auth/forgot-password?old",
    },
  },
  "auth_.signup": {
    path: "/auth/signup",
    get: "302 /auth?tab=signup",
    post: {
      form: credentials,
      answers: ["303 /auth?signed-in=…", "303 /auth?tab=signup"],
      // the new account is welcomed; the owner of a taken address is sent a mail, and that is recorded
      writes: [
        ["mails", "profiles", "sessions", "users"],
        ["mails", "users"],
      ],
    },
  },
  billing: {
    path: "/billing",
    get: "302 /#purchase",
    post: { form: {}, answers: ["302 /auth", "303 /#purchase"] },
  },
  cancellation: {
    path: "/cancellation",
    get: "200",
    post: { form: { email: "x" }, answers: "422" },
  },
  "billing_.card": { path: "/billing/card", get: "200" },
  checkout: {
    path: "/checkout",
    get: "302 /#purchase",
    post: {
      form: { priceId: SANDBOX_STRIPE.priceId },
      answers: ["303 /#upgrade", "303 the local Stripe"],
      writes: [[], ["profiles"]],
    },
  },
  "checkout_.cancelled": { path: "/checkout/cancelled", get: "200" },
  "checkout_.success": {
    path: "/checkout/success?session_id=cs_test_someoneelses",
    get: [
      "302 /auth?leads-to=%2Fcheckout%2Fsuccess%3Fsession_id%3Dcs_test_someoneelses",
      "302 /#purchase",
    ],
  },
  // without COMMUNITY_URL
  "community_.connect": { path: "/community/connect?sso=a&sig=b", get: "404" },
  healthz: { path: "/healthz", get: "200" },
  logout: {
    path: "/logout",
    get: "302 /",
    post: { form: {}, answers: "303 /", writes: [[], ["sessions"]] },
  },
  metrics: { path: "/metrics", get: "401" },
  newsletter: {
    path: "/newsletter",
    get: "302 /#newsletter",
    post: {
      form: { email: "reader@example.test" },
      answers: "303 /#newsletter",
      writes: [["mails", "subscribers"], []],
    },
  },
  // no issue has been sent
  "newsletter_.$slug": { path: "/newsletter/the-first-mile", get: "404" },
  "newsletter_.archive": { path: "/newsletter/archive", get: "200" },
  "newsletter_.confirm": {
    path: "/newsletter/confirm?token=made-up",
    get: "303 /auth/old-link?of=newsletter",
    post: { form: { token: "made-up" }, answers: "303 /auth/old-link?of=newsletter" },
  },
  "newsletter_.feed[.]xml": { path: "/newsletter/feed.xml", get: "200" },
  "newsletter_.images.$name": {
    path: `/newsletter/images/${"a".repeat(22)}.png`,
    embeddable: true,
    get: "404",
  },
  "newsletter_.unsubscribe": {
    path: "/newsletter/unsubscribe?token=made-up",
    get: "303 /",
    post: { form: { token: "made-up" }, answers: "303 /", foreign: true },
  },
  notice: {
    path: "/notice",
    get: "302 /",
    post: { form: { notice: "purchase", redirectTo: "/" }, answers: "303 /" },
  },
  "reading-settings": {
    path: "/reading-settings",
    get: "302 /",
    post: { form: { theme: "night" }, answers: "303 /", writes: [[], ["users"]] },
  },
  "drafts.$token.$slug": { path: `/drafts/99999-${"a".repeat(22)}/gates`, get: "404" },
  "drafts.$token.media.$name": {
    path: `/drafts/99999-${"a".repeat(22)}/media/${"0".repeat(32)}.png`,
    get: "404",
  },
  "favicon[.]ico": { path: "/favicon.ico", embeddable: true, get: "200" },
  "pages.$slug": { path: "/pages/imprint", get: "404" },
  "site-files.$name": { path: "/site-files/icon.png", embeddable: true, get: "404" },
  "podcast.$name": { path: `/podcast/${"a".repeat(32)}.xml`, get: "404" },
  "podcast.$token.$name": {
    path: `/podcast/${"a".repeat(32)}/${"0".repeat(32)}.mp3`,
    embeddable: true,
    get: "404",
  },
  premium: { path: "/premium", get: "302 /" },
  "premium_.chapters": { path: "/premium/chapters", get: ["200", "302 /"] },
  "premium_.chapters_.$slug": { path: "/premium/chapters/small-hinges", get: ["200", "302 /"] },
  "premium_.community": { path: "/premium/community", get: "302 /" },
  "premium_.extras.$slug": { path: "/premium/extras/one-drawer", get: ["200", "302 /"] },
  "premium_.listening": {
    path: "/premium/listening",
    get: "302 /",
    // the route does not accept a form
    post: { form: { slug: "the-slow-mile", second: "33" }, answers: "415" },
  },
  "premium_.media.$name": { path: `/premium/media/${"0".repeat(32)}.png`, get: "404" },
  "premium_.e-book": { path: "/premium/e-book", get: ["200", "302 /"] },
  "premium_.podcast": {
    path: "/premium/podcast",
    get: ["200", "302 /"],
    post: { form: { intent: "create" }, answers: "302 /" },
  },
  "preview_.media.$name": {
    path: `/preview/media/${"0".repeat(32)}.png`,
    embeddable: true,
    get: "404",
  },
  "premium_.search": { path: "/premium/search?q=forest", get: ["200", "302 /"] },
  "preview_.$slug": { path: "/preview/the-weight-you-carry", get: "404" },
  "premium_.progress": {
    path: "/premium/progress",
    get: "302 /",
    post: { form: { slug: "the-weight-you-carry", action: "read" }, answers: "303 /" },
  },
  "premium_.notes": {
    path: "/premium/notes",
    get: "302 /",
    // without a session, to the page that holds the text and signs in; with one, the owner differs
    post: {
      form: { slug: "x", owner: "x", version: "0", text: "x" },
      answers: "307 /auth/unsaved?to=%2Fpremium%2Fnotes",
    },
  },
  "premium_.notes[.]md": { path: "/premium/notes.md", get: ["302 /", "200"] },
  "premium_.highlights": { path: "/premium/highlights", get: ["200", "302 /"] },
  "premium_.highlights_.$id": { path: "/premium/highlights/x", get: "302 /" },
  "premium_.highlights[.]csv": { path: "/premium/highlights.csv", get: ["302 /", "200"] },
  "premium_.highlights_.save": {
    path: "/premium/highlights/save",
    get: "302 /",
    post: {
      form: { intent: "delete", id: "x" },
      answers: ["307 /auth/unsaved?to=%2Fpremium%2Fhighlights%2Fsave", "303 /"],
    },
  },
  // JSON only
  "premium_.notes_.save": {
    path: "/premium/notes/save",
    get: "302 /",
    post: { form: {}, answers: "415" },
  },
  "premium_.book[.]epub": { path: "/premium/book.epub", get: "302 /" },
  readyz: { path: "/readyz", get: "200" },
  "robots[.]txt": { path: "/robots.txt", get: "200" },
  "sections.$id": { path: "/sections/about", get: "302 /#about" },
  "sitemap[.]xml": { path: "/sitemap.xml", get: "200" },
  "webhooks.mail": {
    path: "/webhooks/mail",
    get: "405",
    // MAIL_REPORT_SECRET and SES_TOPIC_ARN are not set
    post: { form: { email: "made@up.example" }, answers: "404", foreign: true },
  },
  "webhooks.stripe": {
    path: "/webhooks/stripe",
    get: "405",
    post: { form: { id: "evt_made_up" }, answers: "400", foreign: true },
  },
};

/** Headers of requests that a visitor's browser sends from another site's page. */
const ELSEWHERE: Record<string, string>[] = [
  // another site
  { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" },
  // a sister site
  { "Sec-Fetch-Site": "same-site", Origin: "http://sister.localhost" },
  // another site, in an old browser
  { Origin: "https://evil.example" },
  // a page without an origin
  { Origin: "null" },
  // another port of this machine
  { Origin: "http://localhost:1" },
];

/** Used in rotation. */
let turns = 0;
const elsewhere = () => ELSEWHERE[turns++ % ELSEWHERE.length];

let site: ProgramSite;
let before: Contents;

beforeAll(async () => {
  site = await startProgramSite({ PAYMENTS: "sandbox", CANCELLATION_PAGE: "true" });
});
afterAll(() => site?.close());

/** The tables that were written to since the test began, apart from the counts of attempts. */
async function written(): Promise<string[]> {
  const changed = changedTables(before, await readContents(site.database));
  return changed.filter((table) => table !== "rate_limits");
}

/** A response in the format of the table above. */
function outcome({ status, headers }: Answer): string {
  const location = headers.location?.startsWith(site.program.sandboxOrigin)
    ? "the local Stripe"
    : headers.location?.replace(/[0-9a-f]{64}/, "…");
  return location === undefined ? String(status) : `${status} ${location}`;
}

function expected(answers: Expected | [Expected, Expected], signedIn: boolean): Expected {
  return typeof answers === "string" ? answers : answers[signedIn ? 1 : 0];
}

it("is complete: this test lists every route", () => {
  // what the desk answers is in desk-guard.test.ts
  const folders = readdirSync(resolve(import.meta.dirname, "../../../app/routes")).filter(
    (folder) => !folder.startsWith("desk"),
  );
  expect(Object.keys(routes).sort()).toEqual(folders.sort());
});

describe.each([
  { name: "without a session", signedIn: false },
  { name: "with a session", signedIn: true },
])("a visitor $name", ({ signedIn }) => {
  /** Sends requests that change nothing. */
  let visitor: Visitor;
  let count = 0;

  const newVisitor = async () => {
    const added = site.visitor();
    count += 1;
    if (signedIn) await added.signUp(`visitor-${count}@example.test`);
    return added;
  };

  beforeAll(async () => {
    await site.visitor().post("/auth/signup", {
      json: { email: "walker@example.test", password: "a long walk" },
    });
    visitor = await newVisitor();
  });

  beforeEach(async () => {
    before = await readContents(site.database);
  });

  describe.each(Object.entries(routes))("on %s", (_folder, route) => {
    const { path, get, post } = route;
    it("reads without changing anything, and rejects other methods and other sites' posts", async () => {
      const { cookie } = visitor;
      for (const headers of [{}, ELSEWHERE[0]]) {
        const answer = await send(site.origin + path, { headers, cookie });
        expect(outcome(answer)).toBe(expected(get, signedIn));
        expectSecurityHeaders(answer, route);
        if (answer.headers["content-type"]?.startsWith("text/html")) expectStrictPolicy(answer);
        if (signedIn && answer.status === 200 && !path.includes(".")) {
          expect(answer.headers["cache-control"]).toMatch(/no-store/);
        }
      }
      const head = await send(site.origin + path, { method: "HEAD", cookie });
      expect(outcome(head)).toBe(expected(get, signedIn));
      expectSecurityHeaders(head, route);
      expect(head.body).toHaveLength(0);

      const own = { Origin: site.origin, "Sec-Fetch-Site": "same-origin" };
      // the methods that Remix passes to an action
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        if (post && method === "POST") continue;
        const answer = await send(site.origin + path, { method, headers: own, cookie });
        const status = path === "/nothing/here" ? 404 : 405;
        expect(`${method} ${answer.status}`).toBe(`${method} ${status}`);
        expectSecurityHeaders(answer, route);
        expect(answer.cookies).toEqual([]);
      }

      if (post) {
        const { form, foreign } = post;
        const answer = await send(site.origin + path, { form, headers: elsewhere(), cookie });
        if (foreign) expect(answer.status).toBeLessThan(500);
        else expect([answer.status, answer.cookies]).toEqual([403, []]);
        expectSecurityHeaders(answer, route);
      }
      expect(await written()).toEqual([]);
    });

    if (!post) return;
    const { form, answers, writes = [[], []] } = post;

    it("does what its form requests, and no more", async () => {
      const poster = await newVisitor();
      before = await readContents(site.database);
      const answer = await poster.post(path, { form });
      expect(outcome(answer)).toBe(expected(answers, signedIn));
      expectSecurityHeaders(answer, route);
      expect(answer.headers["cache-control"]).toMatch(/no-store|private/);
      expect(await written()).toEqual(writes[signedIn ? 1 : 0]);
    });
  });
});

describe("the rest of the site", () => {
  beforeEach(async () => {
    before = await readContents(site.database);
  });
  afterEach(async () => {
    expect(await written()).toEqual([]);
  });

  it.each(["OPTIONS", "TRACE", "PROPFIND"])("rejects the method %s", async (method) => {
    const answer = await send(`${site.origin}/`, { method });
    expect(answer.status).toBe(405);
    expectSecurityHeaders(answer);
  });

  it("sends the same headers with assets, files, errors and 304s", async () => {
    const landing = await send(`${site.origin}/`);
    const script = site.origin + /"(\/build\/[^"]+\.js)"/.exec(landing.text)?.[1];
    const asset = await send(script);
    expect(asset.status).toBe(200);
    expect(asset.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    const answers = [
      asset,
      await send(`${site.origin}/build/gone.js`),
      await send(script, { headers: { "If-None-Match": asset.headers.etag } }),
      await send(`${site.origin}/`, { headers: { "If-None-Match": landing.headers.etag } }),
      await send(`${site.origin}/`, { headers: { Host: "evil.example" } }),
      await send(`${site.origin}/%E0%A4%A`),
      await send(`${site.origin}/metrics`, {
        headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 304, 304, 421, 400, 200]);
    for (const answer of answers) expectSecurityHeaders(answer);
    // only pages may run scripts
    expect(policyOf(asset)["script-src"]).toBeUndefined();
  });

  it("serves no file outside public", async () => {
    for (const path of [
      "/.env",
      "/build/..%2f..%2fpackage.json",
      "/build/%2e%2e/%2e%2e/package.json",
      "/data/session-secret",
    ]) {
      const answer = await send(site.origin + path);
      expect([400, 404], path).toContain(answer.status);
      expect(answer.text).not.toContain('"dependencies"');
    }
  });

  it("renders each page with its own nonce", async () => {
    const visitor = site.visitor();
    await visitor.signUp("nonces@example.test");
    before = await readContents(site.database);
    const pages = await Promise.all(Array.from({ length: 5 }, () => visitor.get("/")));
    const nonces = pages.map((page) => policyOf(page)["script-src"]?.[1]);
    for (const page of pages) expectStrictPolicy(page);
    expect(new Set(nonces).size).toBe(5);
  });

  it.each([
    ["two names", ["Host: evil.example"]],
    ["two origins", ["Origin: http://localhost", "Origin: http://localhost"]],
    ["two lengths", ["Content-Length: 0", "Content-Length: 0"]],
    ["length and encoding", ["Content-Length: 3", "Transfer-Encoding: chunked"]],
  ])("rejects a request with %s", async (_what, headers) => {
    for (const method of ["GET", "POST"]) {
      const connection = await openConnection(site.origin);
      connection.write(
        `${method} / HTTP/1.1\r\nHost: localhost\r\n${headers.join("\r\n")}\r\n\r\n`,
      );
      expect(await connection.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 400 /);
      connection.destroy();
    }
  });

  /** Returns the status for this exact spelling of an address. */
  const ask = async (target: string, name = new URL(site.origin).host) => {
    const connection = await openConnection(site.origin);
    connection.write(`GET ${target} HTTP/1.1\r\nHost: ${name}\r\n\r\n`);
    const head = await connection.until(/\r\n\r\n/);
    connection.destroy();
    return Number(head.split(" ")[1]);
  };

  it("takes the host only from the target or the Host header, which must agree", async () => {
    const { host } = new URL(site.origin);
    expect(await ask(`http://${host}/`)).toBe(200);
    expect(await ask("http://evil.example/")).toBe(400);
    expect(await ask(`http://${host}/`, "evil.example")).toBe(400);
    expect(await ask("http://evil.example/", "evil.example")).toBe(421);
  });

  it("has one address for each page: any spelling that a browser would resolve is rejected", async () => {
    const page = "/preview/the-hour-before-the-day";
    expect(await ask(page)).toBe(200);
    expect(await ask(`${page}?a=\\..\\//x/../y`)).toBe(200);
    for (const spelling of [
      `${page}#1`,
      "/preview/1\\..\\the-hour-before-the-day",
      "/preview\\the-hour-before-the-day",
      "/preview/1/%2E%2e/the-hour-before-the-day",
      "/build/1/../../auth",
      `${site.origin}/1/..${page}`,
    ]) {
      expect(await ask(spelling), spelling).toBe(400);
    }
  });

  it("has nothing at the well-known URL that must not exist, so password managers can trust the others", async () => {
    const name = "resource-that-should-not-exist-whose-status-code-should-not-be-200";
    expect((await send(`${site.origin}/.well-known/${name}`)).status).toBe(404);
  });

  it("never redirects to another site after a form", async () => {
    for (const redirectTo of ["//evil.example", "https://evil.example", "/\\evil.example"]) {
      const answer = await site
        .visitor()
        .post("/notice", { form: { notice: "purchase", redirectTo } });
      expect(answer.headers.location).toBe("/");
    }
  });

  it("opens no session through a link", async () => {
    const { email, password } = credentials;
    const query = new URLSearchParams({ email, password });
    const answer = await site.visitor().get(`/auth/login?${query}`);
    expect(answer.cookies).toEqual([]);
  });
});
