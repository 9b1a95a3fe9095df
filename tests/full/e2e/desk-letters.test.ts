import { sql } from "drizzle-orm";
import type { BrowserContextOptions, Page } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { campaigns, deskDrafts, mails, sessions, users } from "~db/schema";
import { axeViolations } from "../../support/axe-violations";
import { E2eSite } from "../../support/e2e-site";
import { EFFECT_TIMEOUT } from "../../support/effect-timeout.mjs";
import { addWalkers, PNG_PIXEL } from "../../support/newsletter";
import { type SmtpSink, startSmtpSink } from "../../support/smtp-sink";

const site = new E2eSite();
let smtp: SmtpSink;

beforeAll(async () => {
  smtp = await startSmtpSink();
  await site.start({
    variables: {
      AUTHOR_EMAIL: "maren-1@example.test, theo-2@example.test",
      SMTP_URL: smtp.url,
      MAIL_FROM: "Maren <maren@book.test>",
    },
  });
  for (const name of ["maren", "theo"]) await site.newAccount(name);
  await site.database.db.update(users).set({ emailConfirmedAt: new Date() });
});
afterEach(async () => {
  await site.endTest();
  await site.database.db.execute(
    sql`truncate mails, campaigns, subscribers, suppressed_addresses, desk_drafts cascade`,
  );
});
afterAll(async () => {
  await site.stop();
  await smtp?.stop();
});

const WITHOUT_SCRIPTS = { javaScriptEnabled: false };

async function author(name: "maren-1" | "theo-2", options: BrowserContextOptions = {}) {
  const page = await site.visit(options);
  await site.signIn(page.context(), `${name}@example.test`);
  return page;
}

const text = (page: Page) => page.getByLabel("Text, in Markdown");
const subject = (page: Page) => page.getByLabel("Subject", { exact: true });
const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).click();
const preview = (page: Page) => page.frameLocator("iframe");

async function begin(page: Page, body = "Dear walker,\n\ngo on.") {
  await page.goto("/desk/letters");
  await press(page, "New letter");
  await subject(page).fill("The first mile");
  await page.getByLabel(/^Preview text/).fill("A start.");
  await page.getByLabel(/^End of the address/).fill("the-first-mile");
  await text(page).fill(body);
}

const stored = async () => (await site.database.db.select().from(deskDrafts))[0]?.content ?? "";
const storedText = (body: string) => expect.poll(stored, EFFECT_TIMEOUT).toMatch(new RegExp(body));

describe.each([
  ["with scripts", {}],
  ["without scripts", WITHOUT_SCRIPTS],
])("%s, an author", (_name, options) => {
  it("writes a letter with a picture, looks at it, tests it, sends it and sees what became of it", async () => {
    await addWalkers(50, site.database);
    await smtp.script({ "walker7@example.test": [{ refuse: 550, at: "recipient" }] });
    const before = await smtp.count();
    const page = await author("maren-1", options);
    await begin(page, "Dear walker,\n\n![A gate](gate.png)\n\n<b>go</b> on.");
    await press(page, "Save draft");
    await page.getByText("Line 5:").first().waitFor();

    await page.locator("[name=picture]").setInputFiles({
      name: "gate.png",
      mimeType: "image/png",
      buffer: PNG_PIXEL,
    });
    await press(page, "Add the picture");
    await page.getByText("![Describe the picture](gate.png)").waitFor();
    await text(page).fill("Dear walker,\n\n![A gate](gate.png)\n\ngo on.");
    await press(page, "Test to myself");
    await page.getByText("It goes to maren-1@example.test").waitFor();
    const image = preview(page).getByAltText("A gate");
    await expect.poll(() => image.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(1);
    await page.getByRole("link", { name: "Plain text" }).click();
    await preview(page).getByText("Dear walker").waitFor();
    await expect.poll(() => smtp.count(), EFFECT_TIMEOUT).toBe(before + 1);
    expect((await smtp.deliveries()).at(-1)).toMatchObject({ address: "maren-1@example.test" });

    await press(page, "Send…");
    await page.getByLabel("Type 50 to confirm").fill("50");
    await press(page, "Send it");
    await page.waitForURL("**/desk/letters/sent/the-first-mile");
    await expect
      .poll(async () => {
        if (options === WITHOUT_SCRIPTS) await page.reload();
        return page.locator("main").textContent();
      }, EFFECT_TIMEOUT)
      .toMatch(/finished[\s\S]*49 of 50[\s\S]*550/);
    expect(await smtp.count()).toBe(before + 50);
  });

  it("keeps what was typed while another author has saved, and decides", async () => {
    const maren = await author("maren-1", options);
    await begin(maren);
    await press(maren, "Save draft");
    await storedText("go on");
    const theo = await author("theo-2", options);
    await theo.goto(maren.url());
    await text(theo).fill("Theo’s");
    await press(theo, "Save draft");
    await storedText("Theo’s");
    await text(maren).fill("Maren’s");
    await press(maren, "Save draft");
    // with scripts, the background has told her before
    if (options !== WITHOUT_SCRIPTS) {
      await maren.getByText(/another author has changed it/).waitFor();
      await press(maren, "Save draft");
    }
    await maren.getByText("Another author has saved this letter.").waitFor();
    await maren.getByText(/by theo-2@example.test/).waitFor();
    expect(await text(maren).inputValue()).toBe("Maren’s");
    expect(await maren.getByLabel("The other version").inputValue()).toContain("Theo’s");
    expect(await stored()).toContain("Theo’s");
    await press(maren, "Save draft");
    await storedText("Maren’s");
  });
});

describe("with scripts, what is typed", () => {
  it("is saved by itself and shown, and again after the program was killed", async () => {
    const page = await author("maren-1");
    await begin(page, "first words");
    await storedText("first words$");
    await preview(page).getByText("first words").waitFor();
    const killed = site.killAndRestart();
    await text(page).pressSequentially(" and more", { delay: 20 });
    await page.getByText("It’s tried again").waitFor();
    await killed;
    expect(await stored()).toMatch(/first words( and more)?$/);
    await press(page, "Save draft");
    await storedText("first words and more$");
    await preview(page).getByText("first words and more").waitFor();
  });

  it("is saved after the answer to a save was lost, without a conflict with itself", async () => {
    const page = await author("maren-1");
    await page.route(
      "**/desk/draft",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await begin(page, "first words");
    await page.getByText("It’s tried again").waitFor();
    await text(page).fill("first words and more");
    await press(page, "Save draft");
    await storedText("first words and more$");
  });

  it("is saved when its page is left by a link of the desk", async () => {
    const page = await author("maren-1");
    await begin(page, "last words");
    await page.getByRole("link", { name: "Letters" }).click();
    await storedText("last words");
  });
});

describe("without scripts, what is typed is kept", () => {
  const typed = async () => {
    const page = await author("maren-1", WITHOUT_SCRIPTS);
    await begin(page, "kept words");
    return page;
  };

  it("while the password is due, until it is confirmed in another tab", async () => {
    const page = await typed();
    const { db } = site.database;
    await db.update(sessions).set({ verifiedAt: new Date(Date.now() - 12.1 * 3_600_000) });
    await press(page, "Save draft");
    await page.getByText("Your letter isn’t saved yet").waitFor();
    expect(await page.getByLabel("Your text").inputValue()).toBe("kept words");
    const href = await page.getByRole("link", { name: /Confirm it/ }).getAttribute("href");
    const tab = await page.context().newPage();
    await tab.goto(href ?? "");
    await tab.getByLabel("Password").fill("a long walk");
    await tab.getByRole("button", { name: "Continue" }).click();
    await tab.waitForURL("**/desk");
    await press(page, "Save");
    await subject(page).waitFor();
    await storedText("kept words");
  });

  it.each(["desk_drafts", "sessions"])("while the database has no %s", async (table) => {
    const page = await typed();
    await site.without(table, async () => {
      await press(page, "Save draft");
      await page.getByText("Your letter isn’t saved yet").waitFor();
      expect(await page.getByLabel("Your text").inputValue()).toBe("kept words");
    });
    await press(page, "Save");
    await subject(page).waitFor();
    await storedText("kept words");
  });

  it("with a photograph that is too large, and after the letter was deleted", async () => {
    const page = await typed();
    const buffer = Buffer.alloc(5 * 2 ** 20);
    const photo = { name: "<img src=x>.jpg", mimeType: "image/jpeg", buffer };
    await page.locator("[name=picture]").setInputFiles(photo);
    await press(page, "Add the picture");
    await page.getByText("img-src-x-.jpg is larger than 1 MB").waitFor();
    await site.database.db.delete(deskDrafts);
    await text(page).fill("new words");
    await press(page, "Save draft");
    await page.getByText("Your text is a new draft.").waitFor();
    await storedText("new words");
  });
});

it("shows what people have written as text, and a mail that runs nothing", async () => {
  const evil = "<img src=x onerror=alert(1)><script>alert(1)</script>";
  const page = await author("maren-1");
  const alerts: string[] = [];
  page.on("dialog", (dialog) => void alerts.push(dialog.message()));
  await begin(page, `${evil}\n\n[a](javascript:alert)\n\nplain words`);
  await subject(page).fill(evil);
  await press(page, "Save draft");
  await preview(page).getByText("plain words").waitFor();
  await preview(page).getByRole("heading", { name: evil }).waitFor();
  const answer = await page.request.get(`${page.url()}/preview?as=html`);
  const { "content-security-policy": policy, ...headers } = answer.headers();
  expect(policy).toMatch(/^default-src 'none'; img-src 'self'; style-src 'unsafe-inline';/);
  expect(policy).toContain("frame-ancestors 'self'");
  expect(headers["x-frame-options"]).toBe("SAMEORIGIN");
  expect(headers["cache-control"]).toBe("private, no-store");
  expect(await answer.text()).not.toMatch(/<script|<img src="x"|javascript:/);
  await page.goto("/desk/letters");
  await page.getByRole("link", { name: evil }).waitFor();

  const { db } = site.database;
  const [sent] = await db
    .insert(campaigns)
    .values({
      slug: "fog",
      audience: "subscribers",
      subject: evil,
      previewText: evil,
      markdown: evil,
      state: "paused",
      pauseReason: evil,
      startAt: new Date(),
    })
    .returning();
  await db.insert(mails).values({
    kind: "newsletter",
    priority: 2,
    state: "failed",
    addressHash: Buffer.alloc(32),
    campaignId: sent?.id,
    expiresAt: new Date(),
    finishedAt: new Date(),
    lastReply: evil,
  });
  await page.goto("/desk/letters/sent/fog");
  await page.getByRole("heading", { name: evil }).waitFor();
  await page.getByRole("cell", { name: evil }).waitFor();
  expect(alerts).toEqual([]);
});

it("needs no sideways scrolling on a phone, and no mouse or eyes", async () => {
  const page = await author("maren-1", { viewport: { width: 360, height: 800 } });
  await begin(page, "<b>a</b> averylongwordthatdoesnotfitintoanyphone".repeat(20));
  await press(page, "Save draft");
  await storedText("averylong");
  const draft = page.url();
  for (const path of [draft, "/desk/letters", `${draft}/send`]) {
    await site.open(path, page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(360);
    // axe would try to run in the frame
    await page.evaluate(() => document.querySelector("iframe")?.remove());
    expect(await axeViolations(page), path).toEqual([]);
  }
});
