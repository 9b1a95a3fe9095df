import { existsSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { BrowserContextOptions, Page, Route } from "playwright";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deskDrafts, editionDocuments, sessions, users } from "~db/schema";
import { axeViolations } from "../../support/axe-violations";
import { E2eSite } from "../../support/e2e-site";
import { hydrated } from "../../support/hydrated.mjs";
import { editionText, SMALL_EDITION, writeEdition } from "../../support/library";
import { expectToast } from "../../support/pages";
import { photograph } from "../../support/pictures";
import { temporaryDirectory } from "../../support/program";
import { mountSmallDisk } from "../../support/small-disk";
import { silentMp3 } from "../../support/sounds";

const AUTHORS = ["author-1@example.test", "author-2@example.test"];
const GATES = "chapters/01-gates.md";
const SITE = "title: Small Gates\nbook: { price: 19.90 EUR }\n";

const site = new E2eSite();
const disk = mountSmallDisk(16);
const folder = disk ?? temporaryDirectory();
const inFolder = (path: string) => readFileSync(join(folder.path, path), "utf8");

beforeAll(async () => {
  writeEdition(folder.path, { ...SMALL_EDITION, "site.yml": SITE });
  await site.start({ variables: { AUTHOR_EMAIL: AUTHORS.join(), CONTENT_DIR: folder.path } });
  const { db } = site.database;
  for (const email of AUTHORS) {
    expect((await site.newAccount("author")).email).toBe(email);
    await db.update(users).set({ emailConfirmedAt: new Date() }).where(eq(users.email, email));
  }
});
beforeEach(() => writeEdition(folder.path, { ...SMALL_EDITION, "site.yml": SITE }));
afterEach(async () => {
  await site.database.db.delete(deskDrafts);
  await site.endTest();
});
afterAll(async () => {
  await site.stop();
  folder.remove();
});

async function author(options?: BrowserContextOptions, email = AUTHORS[0] ?? ""): Promise<Page> {
  const page = await site.visit(options);
  await site.signIn(page.context(), email);
  return page;
}

const editor = (file: string) =>
  `/desk/${/^[ce]/.test(file) ? "book" : "site"}/text?file=${encodeURIComponent(file)}`;
const textOf = (page: Page) => page.locator("textarea[name=content]");
const frameOf = (page: Page) => page.frameLocator("iframe");
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

const statusOf = async (path: string, page: Page) =>
  (await page.context().request.get(path, { maxRedirects: 0 })).status();

it("lets an author write a chapter with a sound for next week, which nobody reads before", async () => {
  const page = await author();
  await site.open("/desk/book", page);
  await page.getByLabel(/^A picture/).setInputFiles({
    name: "Weather.mp3",
    mimeType: "audio/mpeg",
    buffer: silentMp3(20),
  });
  await press(page, "Upload");
  await expectToast(page, "Uploaded media/weather.mp3");
  await page.getByLabel("Title").fill("Weather");
  await press(page, "Begin");
  await expectToast(page, "Begun as a draft");
  expect(existsSync(join(folder.path, "chapters/04-weather.md"))).toBe(false);

  // saved while it is typed, and shown beside
  await textOf(page).fill(editionText({ title: "Weather", order: 4 }, "It *rains*."));
  await expect.poll(() => page.getByRole("status").last().textContent()).toBe("Draft saved");
  expect(await frameOf(page).locator("#text em").textContent()).toBe("rains");
  const nextWeek = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 16);
  await page.reload();
  await page.getByLabel("Readers get it").selectOption("From a time");
  await page.getByLabel("Time, in UTC").fill(nextWeek);
  await page.getByLabel("Sound").selectOption("../media/weather.mp3");
  await press(page, "Save for readers");
  await expectToast(page, "Saved for readers", "The site takes it within seconds.");
  expect(await textOf(page).inputValue()).toContain(
    `publish: ${nextWeek}Z\naudio: ../media/weather.mp3\n`,
  );
  expect(inFolder("chapters/04-weather.md")).toContain("It *rains*.");
  expect(await site.database.db.select().from(deskDrafts)).toEqual([]);

  await page.goto("/desk/book");
  const row = page.getByRole("row", { name: /Weather/ });
  expect(await row.textContent()).toContain(`from ${nextWeek.replace("T", " ")}Z`);
  const preview = "/desk/book/preview?file=chapters/04-weather.md";
  expect(await statusOf(preview, page)).toBe(200);
  const member = await site.visit();
  await site.signUpAsMember(member.context());
  const taken = () =>
    site.database.db.$count(editionDocuments, eq(editionDocuments.slug, "weather"));
  await expect.poll(taken).toBe(1);
  for (const path of ["/premium/chapters/weather", "/preview/weather", preview]) {
    expect(await statusOf(path, member), path).toBe(404);
  }
});

it("without scripts, lets an author change price and photograph beside the landing page", async () => {
  const page = await author({ javaScriptEnabled: false, viewport: { width: 360, height: 800 } });
  await page.goto("/desk/site");
  await page.getByLabel(/^A picture/).setInputFiles({
    name: "author.jpg",
    mimeType: "image/jpeg",
    buffer: await (await photograph(800, 1000)).jpeg().toBuffer(),
  });
  await press(page, "Upload");
  await expect.poll(() => page.locator(".toast").textContent()).toContain("media/author.jpg");
  await page.getByRole("link", { name: "site.yml" }).click();
  await textOf(page).fill("title: [");
  await press(page, "Save for readers");
  expect(await page.getByRole("alert").first().textContent()).toContain("Line 1:");
  expect(await textOf(page).inputValue()).toBe("title: [");
  expect(inFolder("site.yml")).toBe(SITE);

  const shop = "{ name: Shop, url: https://shop.example }";
  const photo = "{ file: media/author.jpg, alt: The author }";
  const mended = `title: Large Gates\ncolors: { accent: "#2f6f8f" }\nbook: { price: 12.50 EUR, buy: [${shop}] }\nphotos: { author: ${photo} }\n`;
  await textOf(page).fill(mended);
  await press(page, "Save draft");
  const shown = frameOf(page);
  expect(await shown.locator("h1").textContent()).toContain("Large");
  expect(await shown.locator(".hero .button").first().textContent()).toContain("€12.50");
  const portrait = shown.getByRole("img", { name: "The author" });
  await portrait.scrollIntoViewIfNeeded();
  await expect
    .poll(() => portrait.evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBe(800);
  const gold = () =>
    shown
      .locator("html")
      .evaluate((root) => getComputedStyle(root).getPropertyValue("--color-gold"));
  expect(await gold()).toBe("#2f6f8f");
  const landing = async () => (await page.context().request.get("/")).text();
  expect(await landing()).not.toContain("12.50");
  await press(page, "Save for readers");
  expect(inFolder("site.yml")).toBe(mended);
  await expect.poll(landing).toContain("12.50");
});

it("shows both versions to the second of two authors, and what a third hand did to the file", async () => {
  const one = await author();
  const other = await author({ javaScriptEnabled: false }, AUTHORS[1]);
  await site.open(editor(GATES), one);
  await other.goto(editor(GATES));
  await textOf(other).fill(`${inFolder(GATES)}\nTheirs.\n`);
  await press(other, "Save draft");
  await textOf(one).fill(`${inFolder(GATES)}\nMine.\n`);
  await expect.poll(() => one.getByRole("status").last().textContent()).toContain("another author");
  await press(one, "Save draft");
  expect(await textOf(one).inputValue()).toContain("Mine.");
  expect(await one.getByLabel("The other version").inputValue()).toContain("Theirs.");
  writeFileSync(join(folder.path, GATES), `${inFolder(GATES)}\nBy hand.\n`);
  await press(one, "Save for readers");
  expect(await one.getByLabel("The other version").inputValue()).toContain("By hand.");
  expect(inFolder(GATES)).toContain("By hand.");
  await press(one, "Save for readers");
  await expectToast(one, "Saved for readers");
  expect(inFolder(GATES)).toMatch(/Mine\.\n$/);
});

it("keeps what was typed where the password is due, saved nowhere until it is confirmed", async () => {
  const page = await author({ javaScriptEnabled: false });
  await page.goto(editor(GATES));
  const { db } = site.database;
  await db.update(sessions).set({ verifiedAt: new Date(Date.now() - 13 * 3_600_000) });
  await textOf(page).fill("typed for hours");
  await press(page, "Save draft");
  await page.getByRole("heading", { name: "Your text isn’t saved yet" }).waitFor();
  expect(await textOf(page).inputValue()).toBe("typed for hours");
  expect(await db.select().from(deskDrafts)).toEqual([]);
  await page.getByRole("link", { name: "Confirm it in a new tab" }).waitFor();
  await db.update(sessions).set({ verifiedAt: new Date() });
  await press(page, "Save");
  await textOf(page).waitFor();
  expect(new URL(page.url()).searchParams.get("file")).toBe(GATES);
  expect(await db.select().from(deskDrafts)).toMatchObject([{ content: "typed for hours" }]);
});

it.each(["desk_drafts", "sessions"])("keeps it while the database has no %s", async (table) => {
  const page = await author({ javaScriptEnabled: false });
  await page.goto(editor(GATES));
  await textOf(page).fill("typed for hours");
  await site.without(table, async () => {
    await press(page, "Save draft");
    await page.getByRole("heading", { name: "Your text isn’t saved yet" }).waitFor();
  });
  await press(page, "Save");
  const drafts = () => site.database.db.select().from(deskDrafts);
  await expect.poll(drafts).toMatchObject([{ content: "typed for hours" }]);
});

it("saves what is typed while the password is due, once that is confirmed", async () => {
  const page = await author();
  await site.open(editor(GATES), page);
  const { db } = site.database;
  const drafts = () => db.select().from(deskDrafts);
  const content = inFolder(GATES);
  await textOf(page).fill(`${content}\nOne.\n`);
  await expect.poll(drafts).toMatchObject([{ version: 1 }]);
  await textOf(page).fill(`${content}\nTwo.\n`);
  await expect.poll(drafts).toMatchObject([{ version: 2 }]);
  // the frame loads nothing more
  const shown = () =>
    frameOf(page)
      .locator("html")
      .evaluate((root) => document.readyState + root.textContent);
  await expect.poll(shown).toMatch(/^complete[\s\S]*Two\./);
  await db.update(sessions).set({ verifiedAt: new Date(Date.now() - 13 * 3_600_000) });
  await textOf(page).fill(`${content}\nThree.\n`);
  await page.getByText(/confirm that it’s you/).waitFor();
  await press(page, "Save for readers");
  await page.getByRole("heading", { name: "Your text isn’t saved yet" }).waitFor();
  await db.update(sessions).set({ verifiedAt: new Date() });
  await press(page, "Save");
  await expectToast(page, "Saved for readers");
  expect(inFolder(GATES)).toMatch(/Three\.\n$/);
});

it("shows what was typed last, also where the page beside it was slow or failed to load", async () => {
  const page = await author();
  const waiting: Route[] = [];
  await page.route("**/desk/book/preview*", (route) => void waiting.push(route));
  await page.goto(editor(GATES), { waitUntil: "commit" });
  const answer = async (how: "continue" | "abort") => {
    await expect.poll(() => waiting.length).toBe(1);
    await waiting.pop()?.[how]();
  };
  const typeAndSave = async (text: string) => {
    await textOf(page).fill(`${inFolder(GATES)}\n${text}\n`);
    await expect.poll(() => page.getByRole("status").last().textContent()).toBe("Draft saved");
  };
  // before it was there at all, and while it is loaded again
  await hydrated(page);
  await typeAndSave("One.");
  await answer("continue");
  await expect.poll(() => waiting.length).toBe(1);
  await typeAndSave("Two.");
  await answer("continue");
  await answer("abort");
  await typeAndSave("Three.");
  await answer("continue");
  await frameOf(page).getByText("Three.").waitFor();
});

it("renames and deletes a text, each with its question", async () => {
  const page = await author();
  await site.open(editor(GATES), page);
  await page.getByLabel("Name in its address").fill("doors");
  await press(page, "Rename");
  await expectToast(page, "Renamed");
  await expect.poll(async () => statusOf("/preview/gates", page)).toBe(301);
  await press(page, "Delete");
  await page.getByText("To delete it, type “Gates”.").waitFor();
  await page.getByLabel("To delete it").fill("Gates");
  await press(page, "Delete");
  await expectToast(page, "Deleted");
  expect(readdirSync(join(folder.path, "chapters"))).not.toContain("01-doors.md");
  expect(readdirSync(join(folder.path, ".deleted"))).toHaveLength(1);
});

it("can be used at 360 px and by everybody", async () => {
  const page = await author({ viewport: { width: 360, height: 800 } });
  for (const path of ["/desk/book", "/desk/site", editor(GATES), editor("site.yml")]) {
    await site.open(path, page);
    // the sandbox of the preview lets no script in, and axe would be one
    await page.locator("iframe").evaluateAll((frames) => frames.map((frame) => frame.remove()));
    expect(await axeViolations(page), path).toEqual([]);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width, path).toBe(360);
  }
});

describe("a save", () => {
  const long = (word: string) =>
    editionText(
      { title: "Gates", summary: "S.", order: 1 },
      `${word.padEnd(100, " walks")}\n\n`.repeat(2_000),
    );

  const post = async (page: Page, form: Record<string, string>) =>
    page.context().request.post(editor(GATES), {
      form,
      headers: { Origin: site.origin },
      maxRedirects: 0,
    });

  const shown = async (page: Page) => {
    await page.goto(editor(GATES));
    const field = (name: string) => page.locator(`form [name=${name}]`).first().inputValue();
    return { version: await field("version"), base: await field("base") };
  };

  it("that the program does not survive leaves the file old or new, and the draft", async () => {
    const page = await author({ javaScriptEnabled: false });
    const { db } = site.database;
    const drafts = () => db.select().from(deskDrafts);
    const folderChanges = () =>
      new Promise<void>((done) => {
        const watcher = watch(join(folder.path, "chapters"), () => {
          watcher.close();
          done();
        });
      });
    const draftIsSaved = () => expect.poll(drafts, { interval: 1 }).toHaveLength(1);
    for (const [name, moment] of Object.entries({ draftIsSaved, folderChanges })) {
      const before = inFolder(GATES);
      const content = long(name);
      const form = { ...(await shown(page)), content, intent: "publish" };
      const reached = moment();
      const posted = post(page, form).catch(() => null);
      await reached;
      await site.killAndRestart();
      await posted;
      const after = inFolder(GATES);
      const [draft] = await drafts();
      expect([before, content].includes(after), name).toBe(true);
      expect([after, draft?.content].includes(content), name).toBe(true);
      await shown(page);
      await db.delete(deskDrafts);
    }
  });

  it.skipIf(!disk)("to a full or read-only disk says so and keeps the draft", async () => {
    const page = await author({ javaScriptEnabled: false });
    const before = inFolder(GATES);
    const content = long("full");
    const files = readdirSync(join(folder.path, "chapters"));
    const failures = [
      { fail: () => disk?.fill(), mend: () => disk?.makeRoom(), message: "is full" },
      {
        fail: () => disk?.setReadOnly(true),
        mend: () => disk?.setReadOnly(false),
        message: "read-only",
      },
    ];
    for (const { fail, mend, message } of failures) {
      fail();
      try {
        const answer = await post(page, { ...(await shown(page)), content, intent: "publish" });
        expect(answer.status()).toBe(422);
        expect((await answer.text()).includes(message), message).toBe(true);
        const [draft] = await site.database.db.select().from(deskDrafts);
        expect([draft?.content === content, inFolder(GATES) === before]).toEqual([true, true]);
        expect(await statusOf(`/desk/book/preview?file=${GATES}`, page)).toBe(200);
      } finally {
        mend();
      }
      expect(readdirSync(join(folder.path, "chapters"))).toEqual(files);
    }
    const answer = await post(page, { ...(await shown(page)), content, intent: "publish" });
    expect([answer.status(), inFolder(GATES) === content]).toEqual([303, true]);
  });
});
