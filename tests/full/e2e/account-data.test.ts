import { readFile } from "node:fs/promises";
import { eq, sql } from "drizzle-orm";
import type { Download, Page } from "playwright";
import { describe, it } from "vitest";
import { notes, users } from "~db/schema";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";
import { hydrated } from "../../support/hydrated.mjs";
import { expectToast } from "../../support/pages";

const site = siteForThisFile();

const PATH = "/account/data.json";
const link = (page: Page) => page.getByRole("link", { name: "Download your data" });

/** Signs a page up, and keeps a note whose text only its owner knows. */
async function newWriter(javaScriptEnabled: boolean) {
  const page = await site.visit({ javaScriptEnabled });
  const account = await site.signUp(page.context(), "writer");
  const { db } = site.database;
  const [user] = await db.select().from(users).where(eq(users.email, account.email));
  if (!user) throw new Error("There is no account.");
  const text = `The secret of ${account.email}`;
  await db.insert(notes).values({ userId: user.id, slug: "gates", title: "Gates", text });
  return { page, text, userId: user.id, ...account };
}

/** Sets back when the sessions of an account were verified. */
const verifiedBefore = (userId: string, ago: string) =>
  site.database.db.execute(
    sql`update sessions set verified_at = now() - ${ago}::interval where user_id = ${userId}`,
  );

async function openSection(page: Page, javaScriptEnabled: boolean): Promise<void> {
  await page.goto("/account#data");
  if (javaScriptEnabled) await hydrated(page);
  await expect(page.getByRole("heading", { name: "Your data" })).toBeVisible();
}

/** Follows the link by keyboard, and returns what the browser saved. */
async function download(page: Page): Promise<Download> {
  await link(page).focus();
  const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
  return file;
}

const contentOf = async (file: Download) => JSON.parse(await readFile(await file.path(), "utf8"));

describe.each([
  { name: "with JavaScript", javaScriptEnabled: true },
  { name: "without JavaScript", javaScriptEnabled: false },
])("$name", ({ javaScriptEnabled }) => {
  it("one's data is a file that is one click away, on the page where one stays", async () => {
    const { page, email, text, userId } = await newWriter(javaScriptEnabled);
    const other = await newWriter(javaScriptEnabled);
    await openSection(page, javaScriptEnabled);
    const file = await download(page);
    expect(file.suggestedFilename()).toBe("golden-path-account.json");
    const data = await contentOf(file);
    expect(data).toMatchObject({
      account: { id: userId, email },
      sessions: [{ verifiedBy: "password" }],
      notes: [{ slug: "gates", text }],
    });
    for (const foreign of [other.email, other.userId, other.text]) {
      expect(JSON.stringify(data)).not.toContain(foreign);
    }
    expect(new URL(page.url()).pathname).toBe("/account");
    await expect(link(page)).toBeVisible();
  });

  it("a password older than ten minutes is asked for, and leads back to the link", async () => {
    const { page, userId, text, password } = await newWriter(javaScriptEnabled);
    await openSection(page, javaScriptEnabled);
    await verifiedBefore(userId, "10 minutes");
    await link(page).click();
    await page.waitForURL("**/account/verify?next=*");
    if (javaScriptEnabled) await hydrated(page);
    await page.getByLabel("Password", { exact: true }).fill("not that one");
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.locator(".toast[data-variant=destructive]")).toBeVisible();
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL("**/account#data");
    await expectToast(page, "✅ Thank You!");
    expect((await contentOf(await download(page))).notes[0].text).toBe(text);
  });

  it("a session that has ended leads to the log-in page, and saves nothing", async () => {
    const { page, userId } = await newWriter(javaScriptEnabled);
    await openSection(page, javaScriptEnabled);
    await site.database.db.execute(sql`delete from sessions where user_id = ${userId}`);
    await link(page).click();
    await page.waitForURL("**/auth");
  });
});

describe("the file", () => {
  it("is got by ten at once, each their own, and stored by nobody", async () => {
    const writers = await Promise.all(Array.from({ length: 10 }, () => newWriter(true)));
    const answers = await Promise.all(writers.map(({ page }) => page.context().request.get(PATH)));
    for (const [index, answer] of answers.entries()) {
      expect(answer.status()).toBe(200);
      expect(answer.headers()).toMatchObject({
        "content-type": "application/json; charset=utf-8",
        "content-disposition": 'attachment; filename="golden-path-account.json"',
        "cache-control": "private, no-store",
        "x-content-type-options": "nosniff",
      });
      const data = await answer.json();
      expect(data.account.email).toBe(writers[index]?.email);
      expect(data.notes).toMatchObject([{ text: writers[index]?.text }]);
    }
  });

  it("is of the session's account, whatever else the request names", async () => {
    const own = await newWriter(true);
    const other = await newWriter(true);
    const { request } = own.page.context();
    for (const search of [`?id=${other.userId}`, `?userId=${other.userId}&email=${other.email}`]) {
      const answer = await request.get(PATH + search, { headers: { "X-User": other.userId } });
      expect(await answer.text()).not.toContain(other.text);
    }
    const visitor = await site.visit();
    const answer = await visitor.context().request.get(PATH, { maxRedirects: 0 });
    expect(answer.status()).toBe(302);
    expect(answer.headers().location).toBe("/auth");
  });

  it("arrives whole with large notes that are hard to write, and holds up nobody meanwhile", async () => {
    const { page, userId } = await newWriter(true);
    await site.database.db.execute(sql`
      insert into notes (user_id, slug, title, text)
      select ${userId}, 'text-' || n, 'Text', repeat('é\u0001<', 250000) from generate_series(1, 6) n`);
    let isDone = false;
    const asked = page
      .context()
      .request.get(PATH, { timeout: 0 })
      .finally(() => {
        isDone = true;
      });
    let answered = 0;
    while (!isDone) {
      expect((await fetch(`${site.origin}/healthz`)).status).toBe(200);
      answered++;
    }
    const { notes: got } = await (await asked).json();
    expect(got).toHaveLength(7);
    expect(got.filter(({ text }: { text: string }) => text.length === 750_000)).toHaveLength(6);
    // in one piece it would hold up all but one or two
    expect(answered).toBeGreaterThan(5);
  });
});
