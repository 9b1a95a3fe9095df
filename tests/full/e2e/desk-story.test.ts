import { rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { campaigns, deskChanges, subscribers, users } from "~db/schema";
import { E2eSite } from "../../support/e2e-site";
import { EFFECT_TIMEOUT } from "../../support/effect-timeout.mjs";
import { editionFolder, SMALL_EDITION } from "../../support/library";
import { addWalkers } from "../../support/newsletter";
import { photograph } from "../../support/pictures";
import { type SmtpSink, startSmtpSink } from "../../support/smtp-sink";
import { silentMp3 } from "../../support/sounds";

const AUTHOR = "maren-1@example.test";
let site: E2eSite;
let smtp: SmtpSink;
let folder: ReturnType<typeof editionFolder>;

beforeAll(async () => {
  smtp = await startSmtpSink();
});
afterEach(async () => {
  await site.endTest();
  await site.stop();
  folder.remove();
});
afterAll(() => smtp?.stop());

/** A site with a small book, its author, a reviewer and fifty subscribers. */
async function begin(javaScriptEnabled: boolean): Promise<Page> {
  folder = editionFolder(SMALL_EDITION);
  site = new E2eSite();
  await site.start({
    variables: {
      AUTHOR_EMAIL: AUTHOR,
      CONTENT_DIR: folder.path,
      BACKUP_DIR: join(folder.path, "../backups"),
      SMTP_URL: smtp.url,
      MAIL_FROM: "Maren <maren@book.test>",
    },
  });
  const { db } = site.database;
  await site.newAccount("maren");
  await db.update(users).set({ emailConfirmedAt: new Date() });
  await site.newAccount("reviewer");
  await addWalkers(50, site.database);
  const page = await site.visit({ javaScriptEnabled });
  await page.goto("/auth");
  await page.getByLabel("Email").filter({ visible: true }).fill(AUTHOR);
  await page.getByLabel("Password", { exact: true }).filter({ visible: true }).fill("a long walk");
  await page.getByRole("button", { name: "Log In", exact: true }).click();
  await page.waitForURL(`${site.origin}/`);
  await page.goto("/account");
  await page.getByRole("link", { name: "Open the author’s desk" }).click();
  await page.getByRole("heading", { name: "Today" }).waitFor();
  return page;
}

async function menu(page: Page, name: string) {
  const desk = page.getByRole("navigation", { name: "Desk" });
  await desk.getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { name, exact: true, level: 1 }).waitFor();
}
const press = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true }).click();
const inTheFrame = (page: Page, text: string) =>
  page.frameLocator("iframe").getByText(text).first().waitFor();

/** Reloads a page until its text matches: what the site takes from the folder comes within seconds. */
async function shows(page: Page, path: string, text: RegExp) {
  await expect
    .poll(async () => {
      await page.goto(path);
      return page.locator("body").textContent();
    }, EFFECT_TIMEOUT)
    .toMatch(text);
}

describe.each([
  ["with scripts", true],
  ["without scripts", false],
])("an author at the desk, %s", (_how, hasScripts) => {
  it("writes to the readers, adds to the book, changes the site, looks after people and backs all up", async () => {
    const page = await begin(hasScripts);
    const before = await smtp.count();
    const picture = await (await photograph(800, 600)).jpeg().toBuffer();
    const { db } = site.database;

    await menu(page, "Letters");
    await press(page, "New letter");
    await page.getByLabel("Subject", { exact: true }).fill("The gate");
    await page.getByLabel(/^Preview text/).fill("A gate in the fog.");
    await page.getByLabel(/^End of the address/).fill("the-gate");
    const text = page.getByLabel("Text, in Markdown");
    await text.fill("Dear walker,\n\nhere it is.");
    await page
      .locator("[name=picture]")
      .setInputFiles({ name: "gate.jpg", mimeType: "image/jpeg", buffer: picture });
    await press(page, "Add the picture");
    await page.getByText("![Describe the picture](gate.jpg)").waitFor();
    await text.fill("Dear walker,\n\n![The gate](gate.jpg)\n\nhere it is.");
    await press(page, "Test to myself");
    await expect.poll(() => smtp.count(), EFFECT_TIMEOUT).toBe(before + 1);
    await page.frameLocator("iframe").getByAltText("The gate").waitFor();
    await press(page, "Send…");
    await page.getByLabel("Type 50 to confirm").fill("50");
    await press(page, "Send it");
    await shows(page, "/desk/letters/sent/the-gate", /finished[\s\S]*50 of 50/);
    expect(await smtp.count()).toBe(before + 51);

    await menu(page, "Book");
    const upload = async (name: string, mimeType: string, buffer: Buffer) => {
      await page.getByLabel(/^A picture/).setInputFiles({ name, mimeType, buffer });
      await press(page, "Upload");
      await page.getByText("Uploaded").first().waitFor();
    };
    await upload("hill.mp3", "audio/mpeg", silentMp3(30));
    await page.getByLabel("Title").fill("The Other Hill");
    await press(page, "Begin");
    const chapter = page.getByLabel(/^chapters\//);
    await chapter.waitFor();
    const nextWeek = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 16);
    const source = await chapter.inputValue();
    await chapter.fill(`${source}\nBehind the hill there is another hill.\n`);
    await page.getByLabel("Readers get it").selectOption("From a time");
    await page.getByLabel("Time, in UTC").fill(nextWeek);
    await page.getByLabel("Sound").selectOption("../media/hill.mp3");
    await press(page, "Save for readers");
    await page.getByText("Saved for readers").first().waitFor();
    await inTheFrame(page, "Behind the hill there is another hill.");
    await shows(page, "/desk/book", /The Other Hill[\s\S]*from [\s\S]*0:30/);

    await menu(page, "Site");
    await upload("author.jpg", "image/jpeg", picture);
    await press(page, "Begin site.yml with what is shown now");
    const siteFile = page.getByLabel("site.yml", { exact: true });
    await siteFile.waitFor();
    const words = (await siteFile.inputValue())
      .replace(/^book:\n {2}price: .*/m, "book:\n  price: 12.34 USD")
      .replace(/^photos:[\s\S]*?(?=^\w)/m, "");
    await siteFile.fill(
      `${words}\nphotos:\n  author: { file: media/author.jpg, alt: Me at work }\n`,
    );
    await press(page, "Save for readers");
    await page.getByText("Saved for readers").first().waitFor();
    await shows(page, "/", /12\.34/);
    await page.getByAltText("Me at work").waitFor({ state: "attached" });

    await page.goto("/desk/people");
    await page.getByLabel("Address, or a part of it").fill("reviewer");
    await press(page, "Find");
    await page.getByRole("link", { name: "reviewer-2@example.test" }).click();
    const nextMonth = new Date(Date.now() + 31 * 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel("Complimentary until").fill(nextMonth);
    await press(page, "Make complimentary");
    await page.getByText(`premium until ${nextMonth}, complimentary`).waitFor();

    await page.goto("/desk/people/import");
    const rows = Array.from({ length: 1_000 }, (_row, n) =>
      n % 25 === 3 ? `nobody ${n},Nobody` : `listed-${n}@example.test,Reader ${n}`,
    );
    await page.getByLabel("File").setInputFiles({
      name: "list.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(["Email,Name", ...rows].join("\n")),
    });
    await press(page, "Look at the list");
    await page.getByText("not an email address").waitFor();
    await page.getByLabel("How did they agree to get the newsletter?").fill("The old list");
    await press(page, "Import 960 addresses");
    await page.getByText("The list is imported").first().waitFor();
    expect(await db.$count(subscribers)).toBe(1_010);

    await page.goto("/desk/people");
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Subscribers as CSV", exact: true }).click(),
    ]);
    expect((await readFile(await file.path(), "utf8")).trim().split("\n")).toHaveLength(1_011);

    await menu(page, "Figures");
    await page.getByText("The gate").first().waitFor();
    await menu(page, "Health");
    await press(page, "Make a backup");
    await shows(page, "/desk/health", /golden-path-\d{8}T\d{6}Z/);

    await menu(page, "Log");
    await page.getByText("The gate").first().waitFor();
    expect(await db.$count(deskChanges)).toBeGreaterThan(6);
    expect((await db.select().from(campaigns)).map(({ slug }) => slug)).toEqual(["the-gate"]);
    rmSync(join(folder.path, "../backups"), { recursive: true, force: true });
  });
});
