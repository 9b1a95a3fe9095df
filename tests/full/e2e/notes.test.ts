import { eq, sql } from "drizzle-orm";
import type { Page } from "playwright";
import { afterAll, describe, expect, it } from "vitest";
import { notes, sessions, users } from "~db/schema";
import { siteForThisFile } from "../../support/e2e-site";
import { eventually } from "../../support/eventually";
import { holdRequests, holdScripts } from "../../support/held-requests";
import { editionFolder, SMALL_EDITION } from "../../support/library";
import { expectToast } from "../../support/pages";

const edition = editionFolder(SMALL_EDITION);
afterAll(() => edition.remove());
const site = siteForThisFile({ variables: { CONTENT_DIR: edition.path } });

const CHAPTER = "/premium/chapters/gates";

const area = (page: Page) => page.getByRole("textbox", { name: "Your notes" });
const status = (page: Page) => page.locator(".notes-status");
const saveButton = (page: Page) => page.getByRole("button", { name: "Save notes" });

/** Returns a member's stored notes on the chapter. */
async function stored(email: string): Promise<string | undefined> {
  const [row] = await site.database.db
    .select({ text: notes.text })
    .from(notes)
    .innerJoin(users, eq(users.id, notes.userId))
    .where(eq(users.email, email));
  return row?.text;
}

const waitUntilStored = (email: string, text: string) =>
  eventually(async () => expect(await stored(email)).toBe(text));

const waitForStatus = (page: Page, text: string) =>
  status(page)
    .filter({ hasText: new RegExp(`^${text}`) })
    .waitFor();

/** Ends all sessions, as when they expire. */
const endSessions = () => site.database.db.delete(sessions);

const draftsIn = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes(":draft:")).length);

async function newMember(
  javaScriptEnabled = true,
): Promise<{ page: Page; email: string; password: string }> {
  const page = await site.visit({ javaScriptEnabled });
  return { page, ...(await site.signUpAsMember(page.context(), "writer")) };
}

describe("with JavaScript", () => {
  it("notes are saved while typing, when leaving the page, and by the button", async () => {
    const { page, email } = await newMember();
    await site.open(CHAPTER, page);
    await area(page).pressSequentially("First light.");
    await waitForStatus(page, "Saved");
    expect(await stored(email)).toBe("First light.");
    expect(await draftsIn(page)).toBe(0);
    await area(page).pressSequentially(" A bird.");
    await page.goto("/");
    await waitUntilStored(email, "First light. A bird.");
    await site.open(CHAPTER, page);
    expect(await area(page).inputValue()).toBe("First light. A bird.");

    // possibly cleared by accident
    await area(page).fill("");
    await waitForStatus(page, "The page is empty.");
    expect(await stored(email)).toBe("First light. A bird.");
    await saveButton(page).click();
    await waitForStatus(page, "Saved");
    expect(await stored(email)).toBe("");
  });

  it("two tabs merge their texts, and the caret stays in place", async () => {
    const { page, email } = await newMember();
    await site.open(CHAPTER, page);
    await area(page).fill("One.\n\nThree.");
    await waitForStatus(page, "Saved");
    const other = await site.open(CHAPTER, await page.context().newPage());
    await area(other).fill("Zero.\n\nOne.\n\nThree.");
    await waitForStatus(other, "Saved");

    await area(page).press("ArrowLeft");
    await area(page).pressSequentially(" and a half");
    await waitForStatus(page, "Saved, along with changes made elsewhere.");
    const merged = "Zero.\n\nOne.\n\nThree and a half.";
    expect(await area(page).inputValue()).toBe(merged);
    expect(await stored(email)).toBe(merged);
    await area(page).pressSequentially("!");
    expect(await area(page).inputValue()).toBe("Zero.\n\nOne.\n\nThree and a half!.");
  });

  it("text typed during a save stays", async () => {
    const { page, email } = await newMember();
    await site.open(CHAPTER, page);
    await area(page).fill("One.");
    await waitForStatus(page, "Saved");
    await site.database.db.execute(
      sql`update notes set text = ${"Elsewhere.\n\nOne."}, version = 9`,
    );
    const saving = await holdRequests(page, "/premium/notes/save");
    const asked = page.waitForRequest("**/premium/notes/save");
    await area(page).press("End");
    await area(page).pressSequentially(" Two.");
    await asked;
    await area(page).pressSequentially(" Three.");
    saving.release();
    await waitUntilStored(email, "Elsewhere.\n\nOne. Two. Three.");
    await waitForStatus(page, "Saved");
    expect(await area(page).inputValue()).toBe("Elsewhere.\n\nOne. Two. Three.");
  });

  it("a lost connection loses nothing, whether or not the page stays open", async () => {
    const { page, email } = await newMember();
    await site.open(CHAPTER, page);
    await page.context().setOffline(true);
    await area(page).fill("Out of reach.");
    await waitForStatus(page, "Not saved: no connection. This browser keeps your text.");
    await page.context().setOffline(false);
    await waitUntilStored(email, "Out of reach.");
    await waitForStatus(page, "Saved");
    expect(await draftsIn(page)).toBe(0);

    await page.context().setOffline(true);
    await area(page).fill("Out of reach. Again.");
    await waitForStatus(page, "Not saved");
    const context = page.context();
    await page.close();
    await context.setOffline(false);
    const opened = await site.open(CHAPTER, await context.newPage());
    await waitUntilStored(email, "Out of reach. Again.");
    expect(await area(opened).inputValue()).toBe("Out of reach. Again.");
    await eventually(async () => expect(await draftsIn(opened)).toBe(0));
  });

  it("after the session ends while typing, signing in again saves the text", async () => {
    const { page, email, password } = await newMember();
    await site.open(CHAPTER, page);
    await area(page).fill("One.");
    await waitForStatus(page, "Saved");
    await endSessions();
    await area(page).fill("One.\n\nTwo.");
    await waitForStatus(page, "Not saved. You’re logged out. This browser keeps your text.");
    await page.getByRole("button", { name: "Log in and save" }).click();
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Log in and save" }).click();
    await page.waitForURL(`**${CHAPTER}#notes`);
    await expectToast(page, "Your notes are saved.");
    expect(await area(page).inputValue()).toBe("One.\n\nTwo.");
    expect(await stored(email)).toBe("One.\n\nTwo.");
    await eventually(async () => expect(await draftsIn(page)).toBe(0));
  });

  it("logging out removes unsaved text from the browser", async () => {
    const { page } = await newMember();
    await site.open(CHAPTER, page);
    await page.route("**/premium/notes/save", (route) => route.abort());
    await area(page).fill("Not sent yet.");
    await waitForStatus(page, "Not saved");
    expect(await draftsIn(page)).toBe(1);
    await page.getByLabel("Account menu").click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
    await expectToast(page, "👋 You've been signed out.");
    await eventually(async () => expect(await draftsIn(page)).toBe(0));
  });

  it("a page cleared while offline stays cleared", async () => {
    const { page, email } = await newMember();
    await site.open(CHAPTER, page);
    await area(page).fill("One.");
    await waitForStatus(page, "Saved");
    await page.route("**/premium/notes/save", (route) => route.abort());
    await area(page).fill("");
    await saveButton(page).click();
    await waitForStatus(page, "Not saved: no connection. This browser keeps your text.");
    const opened = await site.open(CHAPTER, await page.context().newPage());
    await waitForStatus(opened, "The page is empty.");
    expect(await area(opened).inputValue()).toBe("");
    expect(await stored(email)).toBe("One.");
    await saveButton(opened).click();
    await waitForStatus(opened, "Saved");
    expect(await stored(email)).toBe("");
    expect(await draftsIn(opened)).toBe(0);
  });

  it("text typed before the scripts run stays", async () => {
    const { page, email } = await newMember();
    await site.open(CHAPTER, page);
    await area(page).fill("One.");
    await waitForStatus(page, "Saved");
    const scripts = await holdScripts(page);
    await page.goto(CHAPTER, { waitUntil: "commit" });
    await area(page).fill("One. Two.");
    scripts.release();
    await waitUntilStored(email, "One. Two.");
    expect(await area(page).inputValue()).toBe("One. Two.");
    await eventually(async () => expect(await draftsIn(page)).toBe(0));
  });
});

describe("without JavaScript", () => {
  it("notes of 10,000 words are saved by the button", async () => {
    const { page, email } = await newMember(false);
    await page.goto(CHAPTER);
    const words = "hedgerow ".repeat(10_000).trim();
    await area(page).fill(words);
    await saveButton(page).click();
    await page.waitForURL(`**${CHAPTER}#notes`);
    await expectToast(page, "Your notes are saved.");
    expect(await area(page).inputValue()).toBe(words);
    expect(await stored(email)).toBe(words);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download all your notes" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("notes.md");
  });
});
