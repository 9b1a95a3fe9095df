import type { Page } from "playwright";
import { beforeAll, describe, it } from "vitest";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";
import { holdRequests } from "../../support/held-requests";

const site = siteForThisFile();

const CHAPTER = "/premium/chapters/the-weight-you-carry";
const PHONE = { viewport: { width: 360, height: 740 } };

type Cookies = Awaited<ReturnType<ReturnType<Page["context"]>["storageState"]>>;

/** Opens a member's page in a new browser context, like another device. */
async function device(cookies: Cookies, options: object = {}): Promise<Page> {
  return site.visit({ storageState: cookies, ...options });
}

/** Returns a new member's cookies. */
async function newMember(): Promise<Cookies> {
  const page = await site.visit();
  await site.signUpAsMember(page.context());
  return page.context().storageState();
}

/** Scrolls until this block is at the top of the window, and waits for the scroll event. */
async function readTo(page: Page, block: number): Promise<void> {
  await page.locator(`#p${block}`).evaluate(async (element) => {
    element.scrollIntoView();
    // the scroll event comes with a frame; real readers stay for at least one
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  });
}

/** Resolves when a position has been stored. */
const positionSaved = (page: Page) =>
  page.waitForResponse(
    (response) =>
      response.url().endsWith("/premium/progress") &&
      (response.request().postData() ?? "").includes('"position"') &&
      response.ok(),
  );

const continueThere = (page: Page) => page.getByRole("link", { name: "Where you stopped" });

/** Scrolls to the end of the text. */
const readToEnd = (page: Page) =>
  page.locator("#text").evaluate((text) => text.scrollIntoView({ block: "end" }));

let member: Cookies;
beforeAll(async () => {
  member = await newMember();
  // the program imports the sample edition once it serves
  const { request } = (await device(member)).context();
  await expect.poll(async () => (await request.get(CHAPTER)).status()).toBe(200);
});

describe("the position in a text", () => {
  it("is saved after scrolling, and is where another device opens the text", async () => {
    const laptop = await device(member);
    await site.open(CHAPTER, laptop);
    await expect(continueThere(laptop)).toHaveCount(0);
    const kept = positionSaved(laptop);
    await readTo(laptop, 9);
    expect((await kept).request().postDataJSON()).toEqual({
      slug: "the-weight-you-carry",
      action: "position",
      block: 9,
    });

    const phone = await device(member, PHONE);
    await site.open(CHAPTER, phone);
    await expect(phone.locator("#p9")).toBeInViewport();
    await phone.getByRole("link", { name: "From the beginning" }).click();
    await expect(phone.getByRole("heading", { level: 1 })).toBeInViewport();
    await expect(phone.locator(".reading-left")).toContainText(/\d min left \d+ min in book/);

    const plain = await device(member, { ...PHONE, javaScriptEnabled: false });
    await plain.goto(CHAPTER);
    await continueThere(plain).click();
    await expect(plain.locator("#p9")).toBeInViewport();

    // the members' area leads there too
    await site.open("/premium", phone);
    const readOn = phone.getByRole("region", { name: "Continue where you stopped" });
    await expect(readOn).toContainText("The Weight You Carry");
    await expect(readOn).toContainText(/Chapter 2, [1-4] minutes? left/);
    await readOn.getByRole("link").click();
    await expect(phone).toHaveURL(new RegExp(`${CHAPTER}#p9$`));
    await expect(phone.locator("#p9")).toBeInViewport();
  });

  it("is saved when the page is left at once", async () => {
    const leaving = await newMember();
    const page = await device(leaving);
    await site.open(CHAPTER, page);
    await readTo(page, 7);
    await page.goto("about:blank");
    const other = await device(leaving);
    await expect(async () => {
      await other.goto(CHAPTER);
      await expect(continueThere(other)).toHaveAttribute("href", "#p7", { timeout: 500 });
    }).toPass();
  });

  it("stays while the reader looks at the beginning, and moves back when they read on from there", async () => {
    const looking = await newMember();
    const first = await device(looking);
    await site.open(CHAPTER, first);
    let kept = positionSaved(first);
    await readTo(first, 9);
    await kept;

    const second = await device(looking);
    const blocks: number[] = [];
    second.on("request", (request) => {
      if (request.method() === "POST") blocks.push(request.postDataJSON().block);
    });
    await site.open(`${CHAPTER}#document-title`, second);
    await readTo(second, 2);
    await second.goto("/premium");
    await site.open(`${CHAPTER}#document-title`, second);
    await expect(continueThere(second)).toHaveAttribute("href", "#p9");
    expect(blocks).toEqual([]);

    kept = positionSaved(second);
    await readTo(second, 6);
    await kept;
    expect(blocks).toEqual([6]);
  });
});

describe("'Mark as read'", () => {
  it("changes at once by keyboard, keeps the focus, and reverts if it could not be saved", async () => {
    const page = await device(await newMember());
    await site.open(CHAPTER, page);
    const saving = await holdRequests(page, "/premium/progress");
    const read = page.getByRole("button", { name: "Mark as read" });
    const unread = page.getByRole("button", { name: "Mark as unread" });
    await read.press("Enter");
    await expect(unread).toBeFocused();
    saving.release();
    await expect(page.locator(".toast")).toContainText("Marked as read");
    await expect(unread).toBeFocused();
    await unread.press("Enter");
    await expect(page.locator(".toast")).toContainText("Marked as unread");
    await expect(read).toBeFocused();

    await site.without("reading_progress", async () => {
      await read.click();
      await expect(page.locator(".toast")).toContainText("couldn’t be saved");
    });
    await expect(read).toBeVisible();
  });

  it("works without JavaScript, returns to the text's end, and counts in the members' area", async () => {
    const page = await device(await newMember(), { javaScriptEnabled: false, ...PHONE });
    await page.goto(CHAPTER);
    await page.getByRole("button", { name: "Mark as read" }).click();
    await expect(page).toHaveURL(`${site.origin}${CHAPTER}#mark-as-read`);
    await expect(page.locator(".toast")).toContainText("Marked as read");
    await expect(page.getByRole("button", { name: "Mark as unread" })).toBeInViewport();

    await page.goto("/premium");
    await expect(page.getByText("You’ve read one of twelve chapters.")).toBeVisible();
    await expect(page.getByRole("region", { name: "Your next chapter" })).toContainText(
      "Small Hinges",
    );
  });
});

describe("reaching a text's end", () => {
  const undo = (page: Page) => page.locator("#mark-as-read").getByRole("button", { name: "Undo" });
  const unread = (page: Page) => page.getByRole("button", { name: "Mark as read", exact: true });

  it("marks it as read, unless its reader says it is unread, until they begin again", async () => {
    const page = await device(await newMember());
    await site.open(CHAPTER, page);
    await readToEnd(page);
    await expect(undo(page)).toBeVisible();
    await undo(page).click();
    const left = page.locator(".reading-left");
    await readTo(page, 9);
    await expect(left).toContainText(/[2-4] min left/);
    await readToEnd(page);
    await expect(left).toContainText("1 min left");
    await expect(unread(page)).toBeVisible();
    await page.evaluate(() => window.scrollTo(0, 0));
    await expect(left).toContainText(/[3-5] min left/);
    await readToEnd(page);
    await expect(undo(page)).toBeVisible();
  });

  it("and going on marks it too, with arrow keys only at its ends", async () => {
    const page = await device(await newMember());
    await site.open(CHAPTER, page);
    await page.keyboard.press("ArrowRight");
    await expect(page).toHaveURL(new RegExp(`${CHAPTER}$`));
    await readToEnd(page);
    await page.keyboard.press("ArrowRight");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Small Hinges");
    await expect(page.getByText("Chapter 2 is marked as read")).toBeVisible();
    await page.keyboard.press("ArrowLeft");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("The Weight You Carry");
  });

  it("without JavaScript going on marks it, and it can be undone on the next page", async () => {
    const page = await device(await newMember(), { javaScriptEnabled: false, ...PHONE });
    await page.goto(CHAPTER);
    await page.getByRole("button", { name: "Next: Chapter 3" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Small Hinges");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page).toHaveURL(`${site.origin}${CHAPTER}#mark-as-read`);
    await expect(unread(page)).toBeVisible();
  });
});
