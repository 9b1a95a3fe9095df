import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { Page } from "playwright";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { siteForThisFile } from "../../support/e2e-site";
import { EFFECT_TIMEOUT } from "../../support/effect-timeout.mjs";
import { send as request } from "../../support/http-client";
import { linkIn } from "../../support/mail";
import { issueFile } from "../../support/newsletter";
import { expectToast } from "../../support/pages";
import { runProgram } from "../../support/program";
import { type DeliveredMail, startSmtpServer } from "../../support/smtp";

/** Addresses whose mailbox does not exist. */
const gone = new Set<string>();

const smtp = await startSmtpServer({
  refuse: (address) => (gone.has(address) ? { code: 550, text: "5.1.1 No such mailbox" } : null),
});
afterAll(() => smtp.close());

const site = siteForThisFile({
  variables: {
    NEWSLETTER_DOUBLE_OPT_IN: "true",
    SMTP_URL: smtp.url,
    MAIL_FROM: "Maren <maren@book.test>",
    MAIL_POSTAL_ADDRESS: "14 Lantern Lane, Burlington",
  },
});

/** Somebody on the list, whose mail shows that an issue has been sent. */
const WITNESS = "witness@example.test";

beforeEach(async () => {
  gone.clear();
  await site.database.db.execute(sql`
    truncate mails, campaigns, subscribers, suppressed_addresses cascade`);
  await command("subscribers", "add", WITNESS, "--source", "a test");
});

async function command(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram({
    command: words,
    variables: site.variables,
  });
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

let issues = 0;

/** The front matter and text of another issue. */
function newIssue(frontMatter = "", text = "Dear walker,\n\ngo on.\n") {
  const number = ++issues;
  const slug = `letter-${number}`;
  const subject = `Letter ${number}: the gate & the <lake>`;
  const source = `---\nsubject: "${subject}"\nslug: ${slug}\npreview: A start.\n${frontMatter}---\n\n${text}`;
  return { slug, subject, source };
}

/** Sends an issue by the program's command, and waits until the site has sent it to everybody. */
async function sendIssue({ slug, source }: ReturnType<typeof newIssue>, ...options: string[]) {
  const file = issueFile(source);
  const output = await command("newsletter", "send", file.file, "--yes", ...options);
  file.remove();
  await vi.waitUntil(async () => {
    const left = await site.database.db.execute(sql`
        select from mails join campaigns on campaigns.id = mails.campaign_id
        where slug = ${slug} and finished_at is null`);
    return left.length === 0;
  }, EFFECT_TIMEOUT);
  return output;
}

const mailsTo = (email: string, subject: string): DeliveredMail[] =>
  smtp.delivered.filter(
    ({ recipients, headers }) => recipients[0] === email && headers.subject === subject,
  );

/** Waits for the only mail with a subject to an address. */
async function mailTo(email: string, subject: string): Promise<DeliveredMail> {
  await vi.waitUntil(() => mailsTo(email, subject).length > 0, EFFECT_TIMEOUT);
  const [mail, ...further] = mailsTo(email, subject);
  expect(further).toEqual([]);
  return mail as DeliveredMail;
}

const isOnTheList = async (email: string) =>
  (await site.database.db.execute(sql`select from subscribers where email = ${email}`)).length > 0;

/** Subscribes on the landing page, and confirms by the link in the mail that comes. */
async function subscribe(page: Page, email: string): Promise<void> {
  smtp.delivered.length = 0;
  await page.goto("/");
  await page.locator("#newsletter").getByLabel("Email address").fill(email);
  await page.locator("#newsletter").getByRole("button", { name: "Subscribe" }).click();
  await expectToast(page, "🎉 Success!", "Thanks for subscribing! You're on the list.");
  const mail = await mailTo(email, "One step left: confirm your email");
  await page.goto(linkIn(mail, "/newsletter/confirm").href);
  await page.getByRole("button", { name: "Confirm my email" }).click();
  await expectToast(page, "🎉 Email Confirmed!");
}

/** The address in a mail's List-Unsubscribe header. */
const unsubscribeUrl = ({ headers }: DeliveredMail) =>
  String(headers["list-unsubscribe"]).replace(/^<|>$/g, "");

/** What a mail program sends (RFC 8058): no cookies, no Origin. */
const oneClick = (url: string) => request(url, { form: { "List-Unsubscribe": "One-Click" } });

describe("a reader", () => {
  const email = "reader@example.test";

  it("subscribes, gets an issue, leaves with one click, misses one, and comes back for the next", async () => {
    const page = await site.visit();
    await subscribe(page, email);

    const first = newIssue();
    await sendIssue(first);
    const mail = await mailTo(email, first.subject);
    expect(mail.headers["list-unsubscribe-post"]).toBe("List-Unsubscribe=One-Click");
    expect(mail.headers.from).toBe("Maren <maren@book.test>");
    expect(mail.text).toContain("Dear walker");
    expect(mail.text).toContain("14 Lantern Lane, Burlington");
    const url = unsubscribeUrl(mail);
    expect(linkIn(mail, "/newsletter/unsubscribe").href).toBe(url);
    expect(mail.html).toContain(`href="${url}"`);
    await page.goto(linkIn(mail, `/newsletter/${first.slug}`).href);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(first.subject);

    expect((await oneClick(url)).status).toBe(200);
    expect(await isOnTheList(email)).toBe(false);
    expect((await oneClick(url)).status).toBe(200);

    const second = newIssue();
    await sendIssue(second);
    await mailTo(WITNESS, second.subject);
    expect(mailsTo(email, second.subject)).toEqual([]);

    await subscribe(page, email);
    const third = newIssue();
    await sendIssue(third);
    expect(unsubscribeUrl(await mailTo(email, third.subject))).toBe(url);
  });

  it("leaves by the link in the mail, which asks first, and works again, without JavaScript", async () => {
    const page = await site.visit({ javaScriptEnabled: false });
    await command("subscribers", "add", email, "--source", "a test");
    const issue = newIssue();
    await sendIssue(issue);
    const link = linkIn(await mailTo(email, issue.subject), "/newsletter/unsubscribe").href;

    for (const isFirst of [true, false]) {
      await page.goto(link);
      // as a scanner does; only the button acts
      expect(await isOnTheList(email)).toBe(isFirst);
      await page.getByRole("button", { name: "Unsubscribe" }).click();
      await expectToast(page, "👋 You’ve been unsubscribed.");
      expect(new URL(page.url()).pathname).toBe("/");
      expect(await isOnTheList(email)).toBe(false);
    }
  });
});

describe("an address", () => {
  const email = "walker@example.test";
  const list = () => join(site.dataDir, "list.csv");
  const addToList = () => command("subscribers", "add", email, "--source", "a test");

  it("whose owner complained gets nothing more, not even after an import of it", async () => {
    await addToList();
    writeFileSync(list(), `email\n${email.toUpperCase()}\n`);
    await command("subscribers", "bounce", list(), "--complaint");
    expect(await isOnTheList(email)).toBe(false);
    await command("subscribers", "import", list(), "--source", "an old list");
    const issue = newIssue();
    await sendIssue(issue);
    await mailTo(WITNESS, issue.subject);
    expect(mailsTo(email, issue.subject)).toEqual([]);
  });

  it("that the mail server does not know gets no further issue", async () => {
    await addToList();
    gone.add(email);
    const first = newIssue();
    await sendIssue(first);
    expect(await command("newsletter", "status", first.slug)).toContain(
      "  failed    1 with 550 5.1.1 RCPT TO\n",
    );
    gone.clear();
    const second = newIssue();
    expect(await sendIssue(second)).toContain("not to 1 on the suppression list\n");
    await mailTo(WITNESS, second.subject);
    expect(mailsTo(email, second.subject)).toEqual([]);
  });
});

describe("an issue", () => {
  it("for members is sent to members alone, and shows others its beginning everywhere", async () => {
    const page = await site.visit();
    const member = await site.signUpAsMember(page.context());
    await command("subscribers", "add", member.email, "--source", "a test");
    const issue = newIssue("premium: true\n", "OPEN & <wide>\n\n<!-- more -->\n\nSECRET\n");
    await sendIssue({ ...issue, source: issue.source.replace("<wide>", "\\<wide>") });
    expect((await mailTo(member.email, issue.subject)).text).toContain("SECRET");
    expect(mailsTo(WITNESS, issue.subject)).toEqual([]);

    const path = `/newsletter/${issue.slug}`;
    await page.goto(path);
    expect(await page.getByText("SECRET").count()).toBe(1);
    await page.context().clearCookies();
    await page.goto(path);
    expect(await page.getByText("OPEN & <wide>").count()).toBe(1);
    expect(await page.content()).not.toContain("SECRET");

    await page.goto("/newsletter/archive");
    expect(await page.getByRole("link", { name: issue.subject }).getAttribute("href")).toBe(path);
    const entry = await page.evaluate(async (url) => {
      const parse = async (address: string) =>
        new DOMParser().parseFromString(await (await fetch(address)).text(), "application/xml");
      const feed = await parse("/newsletter/feed.xml");
      const sitemap = await parse("/sitemap.xml");
      const own = [...feed.querySelectorAll("entry")].find(
        (one) => one.querySelector("link")?.getAttribute("href") === url,
      );
      return {
        errors: feed.querySelectorAll("parsererror").length,
        // HTML in XML, as its type says
        title: new DOMParser().parseFromString(
          own?.querySelector("title[type=html]")?.textContent ?? "",
          "text/html",
        ).body.textContent,
        content: own?.querySelector("content")?.textContent,
        isInSitemap: [...sitemap.querySelectorAll("loc")].some((loc) => loc.textContent === url),
      };
    }, site.origin + path);
    expect(entry).toMatchObject({ errors: 0, title: issue.subject, isInSitemap: true });
    expect(entry.content).toContain("OPEN &amp; &lt;wide&gt;");
    expect(entry.content).not.toContain("SECRET");
  });

  it("is neither sent nor shown before its time", async () => {
    const issue = newIssue();
    const status = async () => (await request(`${site.origin}/newsletter/${issue.slug}`)).status;
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString().slice(0, 16);
    const file = issueFile(issue.source);
    await command("newsletter", "send", file.file, "--yes", "--at", `${inAnHour}Z`);
    file.remove();
    expect(await status()).toBe(404);
    expect(mailsTo(WITNESS, issue.subject)).toEqual([]);
    // an hour later
    await site.database.db.execute(
      sql`update campaigns set start_at = now() where slug = ${issue.slug}`,
    );
    await site.database.db.execute(sql`update mails set due_at = now() where finished_at is null`);
    await mailTo(WITNESS, issue.subject);
    expect(await status()).toBe(200);
  });
});
