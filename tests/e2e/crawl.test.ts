import pMap from "p-map";
import type { Page } from "playwright";
import { expect as playwrightExpect } from "playwright/test";
import { beforeAll, describe, expect, it } from "vitest";
import { purposeOf } from "~/features/accounts/destination";
import { MAIL_RULES } from "~/features/mail/mail-kinds";
import { campaigns, editionDocuments, mails } from "~db/schema";
import { Crawl, FIXED_ROUTES, type Link, type Row, type Shown } from "../support/crawl";
import { CRAWLED_SITE, crawlViewers, linksOfMail, sentMails } from "../support/crawl-viewers";
import { siteForThisFile } from "../support/e2e-site";
import { EFFECT_TIMEOUT } from "../support/effect-timeout.mjs";
import { send, Visitor } from "../support/http-client";
import { hydrated } from "../support/hydrated.mjs";
import { readPage } from "../support/linked-addresses";
import { linkIn, mailIdle } from "../support/mail";

type Viewer = "member" | "lapsed" | "reader" | "visitor";

/** For a busy machine; an idle one takes a few seconds. */
const TIMEOUT = { timeout: 300_000 };

const forMembers = (member: Shown): Row<Viewer> => ({ member, others: "→ /" });
/** A page of the library, which asks a visitor to log in at its own address. */
const forReaders = (member: Shown, to = "open the members’ area"): Row<Viewer> => ({
  member,
  visitor: `Log in to ${to}`,
  others: "→ /",
});
const forAccounts = (others: Shown, page = "/account"): Row<Viewer> => ({
  visitor: `→ /auth?leads-to=${encodeURIComponent(page)}`,
  others,
});
/** The titles of chapters and extras, and the subjects of issues, by slug. */
const titles = { texts: new Map<string, string>(), issues: new Map<string, string>() };
const text: Shown = ({ slug = "" }) => titles.texts.get(slug);

/** The expected content of every address, by viewer (see `Shown`). Addresses are route paths and parameter names. */
const TABLE: Record<string, Row<Viewer>> = {
  "/": "The Golden Path",
  "/the-wrong-turn": "404 Page not found",
  "/sections/:id": ({ id }) => `→ /#${id}`,
  "/notice": "→ /",
  "/preview/:slug": text,

  "/auth": { visitor: "Welcome back", others: "→ /" },
  "/auth?tab": { visitor: "Create your account", others: "→ /" },
  "/auth?leads-to": {
    visitor: (params) => `Log in to ${purposeOf(params["leads-to"] ?? "")}`,
    others: "→ /",
  },
  "/auth?leads-to&tab": { visitor: "Sign up to upgrade", others: "→ /" },
  // followed without the cookie that was set with it
  "/auth?signed-in": "Almost there",
  "/auth/login": "→ /auth",
  "/auth/passkey": "→ /auth",
  "/auth/signup": "→ /auth?tab=signup",
  "/auth/forgot-password": "Forgot your password?",
  "/auth/old-link": "→ /auth",
  "/auth/old-link?of": "This link no longer works",
  "/auth/forgot-password?old": "This link no longer works",
  "/auth/reset-password": "→ /auth/forgot-password?old",
  "/auth/reset-password?token": "Choose a new password",
  "/auth/unsaved": "→ /",
  "/auth/confirm-email": "→ /auth/old-link?of=confirmation",
  "/auth/confirm-email?token": "Is this your address?",
  "/logout": "→ /",
  "/.well-known/change-password": {
    visitor: "→ /auth/forgot-password",
    others: "→ /account#password",
  },

  "/account": forAccounts("My Account"),
  "/account/verify": forAccounts("Is this you?"),
  "/account/delete": forAccounts("Delete your account?", "/account/delete"),
  "/account/data.json": forAccounts("application/json"),
  "/account/confirmation": "→ /account#email",
  "/account/email": "→ /account#email",
  "/account/email/confirm": "→ /auth/old-link?of=change",
  "/account/email/confirm?token": {
    reader: "Your new address",
    others: "Log in to confirm your new email",
  },
  "/account/email/undo": "→ /auth/old-link?of=undo",
  "/account/email/undo?token": "Take your account back",
  "/account/newsletter": "→ /account#newsletter",
  "/account/passkeys": "→ /account#passkeys",
  "/account/password": "→ /account#password",
  "/account/picture": "→ /account#picture",
  "/account/sessions": "→ /account#sessions",
  "/avatars/:name": "image/webp",

  "/billing": { member: "→ /premium", others: "→ /#purchase" },
  "/billing/card": {
    member: "Update your payment card",
    visitor: "Log in to your membership",
    others: "No current membership",
  },
  "/checkout": "→ /#purchase",
  "/checkout/cancelled": "Nothing was charged",
  "/checkout/success": {
    member: "You’re a premium member",
    visitor: "→ /auth",
    others: "→ /#purchase",
  },
  "/cancellation": "Cancel contracts here",
  "/webhooks/mail": "405 text/plain",
  "/webhooks/stripe": "405 text/plain",

  "/newsletter": "→ /#newsletter",
  "/newsletter/archive": "Past letters",
  "/newsletter/:slug": ({ slug = "" }) => titles.issues.get(slug),
  "/newsletter/images/:name": "image/png",
  "/newsletter/feed.xml": "application/atom+xml",
  "/newsletter/confirm": "→ /auth/old-link?of=newsletter",
  "/newsletter/confirm?token": "One step left",
  "/newsletter/unsubscribe": "→ /",
  "/newsletter/unsubscribe?token": "Unsubscribe?",

  "/premium": forMembers("Welcome, member@example.test"),
  "/premium/chapters": forReaders("Contents"),
  "/premium/chapters/:slug": forReaders(text, "read this chapter"),
  "/premium/chapters/:slug?q": forReaders(text, "read this chapter"),
  "/premium/extras/:slug": forReaders(text, "read this text"),
  "/premium/extras/:slug?q": forReaders(text, "read this text"),
  "/premium/search": forReaders("Search"),
  "/premium/search?q": forReaders("Search"),
  "/premium/book.epub": forMembers("application/epub+zip"),
  "/premium/media/:name": { member: "audio/mpeg", others: "404 text/plain" },
  "/premium/e-book": forReaders("Read it on your e-reader"),
  "/premium/podcast": forReaders("Listen in your podcast app"),
  "/podcast/:name": "application/rss+xml",
  "/podcast/:token/:name": "audio/mpeg",
  "/premium/community": forMembers("→ https://community.example"),
  "/community/connect": "400 That request didn’t make sense",
  "/premium/notes.md": { visitor: "→ /", others: "text/markdown" },
  "/premium/notes": forMembers("→ /premium"),
  "/premium/notes/save": forMembers("→ /premium"),
  "/premium/highlights": forReaders("Your highlights"),
  "/premium/highlights?q": forReaders("Your highlights"),
  "/premium/highlights/:id?block&text": forMembers("Highlight a passage"),
  "/premium/highlights/:id": forMembers("Change this highlight"),
  "/premium/highlights/save": forMembers("→ /premium/highlights"),
  "/premium/highlights.csv": { visitor: "→ /", others: "text/csv" },
  "/premium/listening": forMembers("→ /premium/chapters"),
  "/premium/progress": forMembers("→ /premium/chapters"),
  "/reading-settings": "→ /",

  "/sitemap.xml": "application/xml",
  "/robots.txt": "text/plain",
  "/.well-known/security.txt": "text/plain",
  "/healthz": "text/plain",
  "/readyz": "text/plain",
  "/metrics": "404 text/plain",
  "/site.webmanifest": "application/manifest+json",
  "/favicon.ico": "image/vnd.microsoft.icon",
  "/favicon.svg": "image/svg+xml",
  "/icon-192.png": "image/png",
  "/icon-512.png": "image/png",
  "/apple-touch-icon.png": "image/png",
  "/share.png": "image/png",
  "/podcast-cover.jpg": "image/jpeg",
  "/build/*.js": "text/javascript",
  "/build/*.css": "text/css",
  "/build/*.svg": "image/svg+xml",
  "/build/*.woff2": "font/woff2",
};

const OTHER_SITES = [
  "https://community.example",
  "https://images.unsplash.com",
  "https://maps.goldenpath.example",
  "https://www.amazon.com",
  "mailto:",
  "tel:",
];

/** One, two and three words of the book. */
const SEARCHES = ["forest", "blue stool", "warm dog stool"];

const expectPage = playwrightExpect.configure(EFFECT_TIMEOUT);

const site = siteForThisFile({ variables: CRAWLED_SITE });
let crawl: Crawl<Viewer>;
let browsers: Record<Viewer, Visitor>;

beforeAll(async () => {
  browsers = await crawlViewers(site);
  const { db } = site.database;
  for (const { slug, title } of await db.select().from(editionDocuments)) {
    titles.texts.set(slug, title);
  }
  for (const { slug, subject } of await db.select().from(campaigns)) {
    titles.issues.set(slug, subject);
  }
  crawl = new Crawl<Viewer>({ origin: site.origin, table: TABLE, searches: SEARCHES });
});

/** Follows links as a viewer; fails with every fault of their targets. */
async function follow(name: Viewer, links: Link[]): Promise<void> {
  await crawl.follow({ name, cookie: browsers[name].cookie }, links);
  expect(crawl.problems.splice(0)).toEqual([]);
}

/** Returns the links of the mails after the first `count`. */
const mailedLinks = (count = 0) =>
  sentMails(site)
    .slice(count)
    .flatMap((mail) => linksOfMail(mail, site.origin));

describe("every link in pages, files and mails", TIMEOUT, () => {
  it.each<[who: string, name: Viewer]>([
    ["a member", "member"],
    ["a lapsed member", "lapsed"],
    ["a reader without a membership", "reader"],
    ["a visitor", "visitor"],
  ])("leads %s where it should, with any query added", async (_who, name) => {
    await follow(name, [
      ...FIXED_ROUTES.map((path) => ({ from: "the routes", to: site.origin + path })),
      ...mailedLinks(),
      // every viewer also tries the member's addresses
      ...crawl.visited("member").map((to) => ({ from: "a member’s pages", to })),
    ]);
  });

  it("leads to everything published", () => {
    const seen = new Set(crawl.visited("member").map((address) => new URL(address).pathname));
    for (const slug of titles.issues.keys()) expect(seen).toContain(`/newsletter/${slug}`);
    for (const slug of titles.texts.keys()) {
      expect(
        [`/premium/chapters/${slug}`, `/premium/extras/${slug}`].some((path) => seen.has(path)),
        slug,
      ).toBe(true);
    }
  });

  it("leads only to these other sites", () => {
    expect([...crawl.otherSites.keys()].sort()).toEqual(OTHER_SITES);
  });
});

describe("every form", TIMEOUT, () => {
  it("is posted to an address that accepts posts", async () => {
    const refused = await pMap(crawl.postedTo, async ([action, from]) => {
      // anonymous and empty, so nothing changes
      const { status } = await send(action, { form: {}, headers: { Origin: site.origin } });
      return [404, 405].includes(status) ? [`on ${from}: ${action} answers ${status}`] : [];
    });
    expect(refused.flat()).toEqual([]);
    expect(crawl.postedTo.size).toBeGreaterThan(20);
  });
});

/** A member's page in Chromium. */
async function memberPage(javaScriptEnabled = true): Promise<Page> {
  const page = await site.visit({ javaScriptEnabled });
  const cookies = browsers.member.cookie.split("; ").map((pair) => {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/.exec(pair) ?? [];
    return { name, value, url: site.origin };
  });
  await page.context().addCookies(cookies);
  return page;
}

/** Expects a page in Chromium to match the table. */
async function expectHeading(page: Page, viewer: Viewer, address: string): Promise<void> {
  const heading = page.getByRole("heading", { level: 1 });
  await expectPage(heading).toHaveText(crawl.expected(viewer, address));
}

describe.each([
  { name: "with scripts", javaScriptEnabled: true },
  { name: "without scripts", javaScriptEnabled: false },
])("a search in Chromium, $name,", ({ javaScriptEnabled }) => {
  it.each(SEARCHES)("for %s finds texts that open with it marked", TIMEOUT, async (words) => {
    const page = await memberPage(javaScriptEnabled);
    await page.goto("/premium/search");
    if (javaScriptEnabled) await hydrated(page);
    await page.getByRole("searchbox").fill(words);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.searchParams.get("q") === words);
    await expectPage(page).toHaveTitle(`Search: ${words} · The Golden Path`);
    const results = page.getByRole("main").getByRole("listitem").getByRole("link");
    await expectPage(results).not.toHaveCount(0);
    const addresses = await results.evaluateAll((links) =>
      links.map((link) => (link as HTMLAnchorElement).href),
    );
    for (const [index, address] of addresses.entries()) {
      await results.nth(index).click();
      await page.waitForURL(address);
      await expectHeading(page, "member", address);
      const place = page.locator(new URL(address).hash);
      await expectPage(place).toBeInViewport();
      await expectPage(place.locator("mark")).not.toHaveCount(0);
      const marked = (await page.locator("main mark").allTextContents()).join(" ").toLowerCase();
      for (const word of words.split(" ")) expect(marked, address).toContain(word);
      await page.goBack();
      await expectHeading(page, "member", `${site.origin}/premium/search`);
    }
  });
});

describe("in Chromium", TIMEOUT, () => {
  it("every text opens with three queries", async () => {
    const documents = await site.database.db.select().from(editionDocuments);
    const texts = documents.map(({ kind, slug, blocks }) => ({
      address: `${site.origin}/premium/${kind}s/${slug}`,
      // the longest word, which is not in every text
      word: (blocks.join(" ").match(/\b[a-z]+\b/g) ?? []).sort((a, b) => b.length - a.length)[0],
    }));
    const withScripts = await memberPage();
    const withoutScripts = await memberPage(false);
    const open = async (page: Page, address: string, query: string) => {
      await page.goto(`${address}?${query}`);
      await expectHeading(page, "member", address);
    };
    await Promise.all([
      pMap(
        texts,
        async ({ address, word }) => {
          await open(withScripts, address, `q=${word}`);
          await hydrated(withScripts);
          await expectPage(withScripts.locator("main mark")).not.toHaveCount(0);
        },
        { concurrency: 1 },
      ),
      pMap(
        texts,
        async ({ address }) => {
          await open(withoutScripts, address, "utm_source=x&fbclid=y");
          await open(withoutScripts, address, "x");
        },
        { concurrency: 1 },
      ),
    ]);
  });

  it.each(["member", "visitor"] as const)(
    "every kind of page opens for a %s with a query and a fragment",
    async (viewer) => {
      const page = viewer === "member" ? await memberPage() : await site.visit();
      const isSeen = new Set<string>(viewer === "visitor" ? placesOf("member") : []);
      for (const { address, place, page: contents } of crawl.pages(viewer)) {
        if (isSeen.has(place)) continue;
        isSeen.add(place);
        const id = [...contents.ids].filter((id) => /^[a-z][\w-]*$/i.test(id)).at(-1);
        await page.goto(`${address}${address.includes("?") ? "&" : "?"}utm_source=x#${id}`);
        await hydrated(page);
        await expectHeading(page, viewer, address);
        expect(await page.evaluate(() => document.querySelector(":target")?.id)).toBe(id);
      }
    },
  );

  it("a member can follow each kind of link in the contents, the members’ area and the header", async () => {
    const page = await memberPage();
    const places = new Map(crawl.pages("member").map(({ address, place }) => [address, place]));
    const followed = new Set<string>();
    for (const start of ["/premium/chapters", "/premium"]) {
      await page.goto(start);
      await hydrated(page);
      const links = page.locator("main a[href], .site-header nav a[href]");
      for (const link of await links.all()) {
        const address = await link.evaluate((element) => (element as HTMLAnchorElement).href);
        const { href, hash, pathname } = new URL(address);
        const place = places.get(href.replace(hash, ""));
        // skips files, and sections of the same page
        if (!place || pathname === start || followed.has(place + hash)) continue;
        if (!(await link.isVisible())) continue;
        followed.add(place + hash);
        await link.press("Enter");
        await page.waitForURL(address);
        await expectHeading(page, "member", address);
        await page.goBack();
        await page.waitForURL(`**${start}`);
        await expectHeading(page, "member", site.origin + start);
      }
    }
    expect(followed).toContain("/premium/chapters/:slug");
    expect(followed).toContain("/#reviews");
  });

  const placesOf = (viewer: Viewer) => crawl.pages(viewer).map(({ place }) => place);
});

describe("links that work once", TIMEOUT, () => {
  const STEPS: {
    mail: string;
    path: string;
    /** The viewer, if the link needs a session. */
    by?: Viewer;
    leadsTo: RegExp;
    again: string;
  }[] = [
    {
      mail: "Welcome to The Golden Path",
      path: "/auth/confirm-email",
      by: "reader",
      leadsTo: /^→ \/$/,
      again: "Is this your address?",
    },
    {
      mail: "One step left: confirm your email",
      path: "/newsletter/confirm",
      leadsTo: /^→ \/#newsletter$/,
      again: "One step left",
    },
    {
      mail: "Confirm your new email address",
      path: "/account/email/confirm",
      by: "reader",
      leadsTo: /^→ \/account$/,
      again: "→ /auth/old-link?of=change",
    },
    {
      mail: "Your email address was changed",
      path: "/account/email/undo",
      leadsTo: /^→ \/auth\/reset-password\?token=/,
      again: "→ /auth/old-link?of=undo",
    },
    {
      mail: "The first mile is the longest",
      path: "/newsletter/unsubscribe",
      leadsTo: /^→ \/$/,
      again: "Unsubscribe?",
    },
    {
      mail: "Choose a new password",
      path: "/auth/reset-password",
      leadsTo: /^→ \/auth\?signed-in=\w+$/,
      again: "→ /auth/forgot-password?old",
    },
  ];

  it.each(STEPS)("$path in the mail $mail", async ({ mail: subject, path, by, leadsTo, again }) => {
    const before = sentMails(site);
    const mail = before.find(({ headers }) => headers.subject === subject);
    if (!mail) throw new Error(`No mail "${subject}" was sent.`);
    const { href, origin } = linkIn(mail, path);
    const at = href.slice(origin.length);
    const browser = by ? browsers[by] : new Visitor(origin);
    const { forms } = readPage((await browser.get(at)).text, href);
    const form = forms.find(({ action }) => new URL(action).pathname === path);
    const fields = form?.fields.map(({ name, value }) => [name, value || "a longer walk"]) ?? [];
    const answer = await browser.post(path, { form: Object.fromEntries(fields) });
    expect(crawl.shown(answer, href)).toMatch(leadsTo);
    const next = new URL(answer.headers.location ?? "", href).href;
    await follow("visitor", [{ from: `the form of ${path}`, to: next }]);
    expect(crawl.shown(await new Visitor(origin).get(at), href)).toBe(again);
    await followNewMails(before.length);
  });

  it("a deleted account’s mail has no links that work", async () => {
    const { length } = sentMails(site);
    const { member } = browsers;
    await member.post("/account/verify", { form: { password: "a long walk" } });
    expect((await member.post("/account/delete", { form: {} })).headers.location).toBe("/");
    await followNewMails(length);
  });

  async function followNewMails(count: number): Promise<void> {
    await mailIdle(site.database);
    await follow("visitor", mailedLinks(count));
  }
});

describe("at the end", () => {
  it("every kind of mail to readers has been sent", async () => {
    const OPERATOR = ["author-account", "author-notice", "newsletter-test"];
    OPERATOR.push("operator-letter", "operator-matter");
    // an hour after a publication: tests/integration/new-texts.test.ts
    OPERATOR.push("new-texts");
    const sent = await site.database.db.selectDistinct({ kind: mails.kind }).from(mails);
    const kinds = Object.keys(MAIL_RULES).filter((kind) => !OPERATOR.includes(kind));
    expect(sent.map(({ kind }) => kind).sort()).toEqual([...kinds, "newsletter"].sort());
  });

  it("every row of the table has been reached", () => {
    expect(crawl.unreachedRows()).toEqual([]);
  });
});
