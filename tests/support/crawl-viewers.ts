import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/server";
import { eq } from "drizzle-orm";
import { expect } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { highlights, notes, readingProgress, subscribers, users } from "~db/schema";
import type { Link } from "./crawl";
import type { E2eSite } from "./e2e-site";
import { eventually } from "./eventually";
import { Visitor } from "./http-client";
import { linksInText, readPage } from "./linked-addresses";
import { type Mail, mailIdle, readMail } from "./mail";
import { publishSampleIssues } from "./sample-issues.mjs";
import { SoftwareAuthenticator } from "./software-authenticator";

/** Settings under which the site has all its pages and sends all its mails. */
export const CRAWLED_SITE = {
  NEWSLETTER_DOUBLE_OPT_IN: "true",
  COMMUNITY_URL: "https://community.example",
  DISCOURSE_CONNECT_SECRET: "the secret of a community that nobody has",
  CANCELLATION_PAGE: "true",
  SECURITY_CONTACT: "https://security.example/report",
};

const TEXT = "the-weight-you-carry";

/** A browser for each kind of viewer that the site looks different to. Every kind of mail has been sent. */
export async function crawlViewers(site: E2eSite) {
  const newBrowser = () => new Visitor(site.origin);
  const [visitor, reader, member, lapsed] = [
    newBrowser(),
    newBrowser(),
    newBrowser(),
    newBrowser(),
  ] as const;
  // until the book is imported
  await eventually(async () => {
    expect((await visitor.get("/preview/the-hour-before-the-day")).status).toBe(200);
  });
  await reader.signUp("reader@example.test");
  await member.signUp("member@example.test");
  await lapsed.signUp("lapsed@example.test");
  // the issues are mailed to subscribers
  await site.database.db.insert(subscribers).values({
    email: "member@example.test",
    confirmedAt: new Date(),
    unsubscribeToken: "m".repeat(22),
  });
  await Promise.all([
    causeAccountMails(reader, site),
    becomeMember(member, site),
    loseMembership(lapsed, site),
    publishSampleIssues({
      origin: site.origin,
      dataDir: site.dataDir,
      databaseUrl: site.variables.DATABASE_URL,
    }),
  ]);
  await submit(newBrowser(), "/newsletter", { email: "walker@example.test" });
  await cancel(newBrowser());
  await mailIdle(site.database);
  // consume the toasts
  await Promise.all([reader, member, lapsed].map((browser) => browser.get("/")));
  return { visitor, reader, member, lapsed };
}

/** The mails that the site has sent, oldest first. */
export function sentMails({ dataDir }: E2eSite): Mail[] {
  const outbox = join(dataDir, "outbox");
  return readdirSync(outbox)
    .filter((name) => name.endsWith(".eml"))
    .sort()
    .map((name) => readMail(readFileSync(join(outbox, name))));
}

/** The links of a mail, in both its forms and in its headers. */
export function linksOfMail({ headers, html, text }: Mail, origin: string): Link[] {
  const links = [
    ...readPage(html, `${origin}/`).links,
    ...linksInText(text, `${origin}/`),
    ...linksInText(headers["list-unsubscribe"] ?? "", `${origin}/`),
  ];
  return [...new Set(links)].map((to) => ({ from: `the mail "${headers.subject}"`, to }));
}

async function causeAccountMails(reader: Visitor, { origin }: E2eSite): Promise<void> {
  const account = { email: "reader@example.test", password: "a long walk" };
  await submit(new Visitor(origin), "/auth/signup", account);
  await submit(reader, "/account/confirmation", {});
  await submit(reader, "/account/email", { ...account, email: "moved@example.test" });
  const authenticator = new SoftwareAuthenticator(origin);
  const { options } = await post(reader, "/account/passkeys", { intent: "register-options" });
  await post(reader, "/account/passkeys", {
    intent: "register",
    response: JSON.stringify(
      authenticator.create(options as PublicKeyCredentialCreationOptionsJSON),
    ),
  });
  await submit(reader, "/account/passkeys", { intent: "remove", passkey: authenticator.id });
}

/** Pays for a membership, and leaves data on every page that can have some. */
async function becomeMember(member: Visitor, site: E2eSite): Promise<void> {
  await pay(member, site);
  const { db } = site.database;
  const [user] = await db.select().from(users).where(eq(users.email, "member@example.test"));
  const userId = user?.id ?? "";
  await db.insert(notes).values({ userId, slug: TEXT, title: "Weight", text: "A note." });
  await db.insert(highlights).values({
    ...{
      userId,
      slug: TEXT,
      title: "Weight",
      quote: "So I was in no position",
      start: 0,
      color: 1,
    },
    ...{ prefix: "", suffix: " to", searched: "", renderKey: "" },
  });
  // the first reader of a text finds the place of its highlights
  await member.get(`/premium/chapters/${TEXT}`);
  await db.insert(readingProgress).values({ userId, slug: TEXT, block: 3 });
  await submit(member, "/premium/podcast", { intent: "create" });
  const picture = new FormData();
  picture.set("picture", new Blob([readFileSync("public/icon-192.png")]), "me.png");
  const answer = await fetch(`${site.origin}/account/picture`, {
    method: "POST",
    body: picture,
    headers: { Cookie: member.cookie, Origin: site.origin, Accept: "application/json" },
  });
  expect(answer.status, "the member's picture").toBe(200);
}

/** Causes the mails about a membership, loses it, and forgets the password. */
async function loseMembership(lapsed: Visitor, site: E2eSite): Promise<void> {
  const { subscription, customer } = await pay(lapsed, site);
  const cause = (event: string, fields = {}) =>
    site.sandbox(`subscriptions/${subscription}/${event}`, fields);
  const second = await site.sandbox<{ id: string }>(`customers/${customer}/subscribe`);
  await site.sandbox(`subscriptions/${second.id}/cancel`);
  await cause("renew", { outcome: "declined" });
  await cause("cancel-at-period-end");
  await cause("refund");
  await cause("cancel");
  await submit(lapsed, "/auth/forgot-password", { email: "lapsed@example.test" });
}

/** Cancels without logging in. */
async function cancel(visitor: Visitor): Promise<void> {
  const form = { kind: "ordinary", reason: "", name: "Ada", contract: "Premium", endsOn: "" };
  const answer = await visitor.post("/cancellation", {
    form: { ...form, email: "walker@example.test" },
  });
  expect(answer.text).toContain("We’ve received your cancellation");
}

async function pay(visitor: Visitor, site: E2eSite) {
  const { sessionId } = await post(visitor, "/checkout", { priceId: SANDBOX_STRIPE.priceId });
  type Paid = { session: { subscription: string; customer: string } };
  return (await site.sandbox<Paid>(`sessions/${sessionId}/pay`)).session;
}

async function submit(visitor: Visitor, path: string, form: Record<string, string>) {
  expect((await visitor.post(path, { form })).status, path).toBe(303);
}

async function post(visitor: Visitor, path: string, json: Record<string, unknown>) {
  const answer = await visitor.post(path, { json });
  expect(answer.status, path).toBe(200);
  return JSON.parse(answer.text) as Record<string, unknown>;
}
