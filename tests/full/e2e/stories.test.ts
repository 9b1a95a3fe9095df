import type { Locator, Page } from "playwright";
import { it } from "vitest";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";
import { hydrated } from "../../support/hydrated.mjs";

// serves the sample edition
const site = siteForThisFile();

/** Opens a page, and returns a function that clicks in it and counts its clicks. */
async function begin(page: Page, path: string) {
  await site.open(path, page);
  let clicks = 0;
  const click = async (target: Locator) => {
    await target.click();
    clicks += 1;
  };
  const expectChapter = (title: string) =>
    expect(page.getByRole("heading", { level: 1 })).toContainText(title);
  return { click, clicks: () => clicks, expectChapter };
}

const named = (page: Page, name: string, role: "link" | "button" = "link") =>
  page.getByRole("main").getByRole(role, { name, exact: true });

it("a bookmarked chapter takes one click after the session has expired", async () => {
  const page = await site.visit({});
  const { email, password } = await site.signUpAsMember(page.context());
  await page.context().clearCookies();
  const story = await begin(page, "/premium/chapters/small-hinges");
  await page.getByLabel("Email", { exact: true }).first().fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await story.click(named(page, "Log In", "button"));
  await story.expectChapter("Small Hinges");
  expect(story.clicks()).toBe(1);
});

it("a buyer takes six clicks from the landing page to the first chapter", async () => {
  const page = await site.visit({});
  const story = await begin(page, "/");
  await story.click(page.getByRole("banner").getByRole("link", { name: "Sign Up" }));
  await page.getByLabel("Email", { exact: true }).first().fill(site.newEmail("buyer"));
  await page.getByLabel("Password", { exact: true }).fill("a long walk");
  await story.click(named(page, "Create Account", "button"));
  await page.waitForURL(`${site.origin}/`);
  await story.click(named(page, "Upgrade to Premium", "button"));
  await page.waitForURL(/\/c\/pay\//);
  await story.click(page.getByRole("button", { name: "Subscribe" }));
  await story.click(named(page, "Go to the members’ area"));
  await story.click(page.getByRole("main").getByRole("link", { name: /^Begin/ }));
  await story.expectChapter("The Hour Before the Day");
  expect(story.clicks()).toBeLessThanOrEqual(6);
});

it("a phone takes four clicks from the landing page to the e-book's file, by way of what to do with it", async () => {
  const page = await site.visit({ viewport: { width: 360, height: 740 } });
  await site.signUpAsMember(page.context());
  const story = await begin(page, "/");
  await story.click(page.getByRole("banner").locator("summary[aria-label=Menu]"));
  await story.click(page.getByRole("banner").locator("a:visible", { hasText: "Members’ area" }));
  await story.click(named(page, "E-book"));
  await expect(page.getByText("Kindle, from a phone or tablet")).toBeVisible();
  const file = page.waitForEvent("download");
  await story.click(named(page, "Download the e-book"));
  expect((await file).suggestedFilename()).toMatch(/\.epub$/);
  expect(story.clicks()).toBeLessThanOrEqual(4);
});

it("a finished chapter is one click from the next, and counts as read", async () => {
  const page = await site.visit({});
  await site.signUpAsMember(page.context());
  const story = await begin(page, "/premium/chapters/the-hour-before-the-day");
  await story.click(page.getByRole("main").getByRole("button", { name: /^Next: / }));
  await story.expectChapter("The Weight You Carry");
  await expect(page.getByText("Chapter 1 is marked as read")).toBeVisible();
  expect(story.clicks()).toBe(1);
});

it("a sentence read last week is one click from anywhere in the book", async () => {
  const page = await site.visit({});
  await site.signUpAsMember(page.context());
  const story = await begin(page, "/premium/chapters/the-hour-before-the-day");
  await page.keyboard.press("/");
  await page.keyboard.type("blue stool");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/premium\/search\?/);
  await hydrated(page);
  await story.click(page.getByRole("main").locator("a.title-link").first());
  await expect(page.locator("#text mark").first()).toHaveText("blue");
  expect(story.clicks()).toBe(1);
});

it("saving a highlight keeps the page and the reader's place while its text is read again", async () => {
  const page = await site.visit({});
  await site.signUpAsMember(page.context());
  await site.open("/premium/chapters/the-weight-you-carry", page);
  await page.locator("#p6").scrollIntoViewIfNeeded();
  await page.evaluate(() => {
    document.querySelector("#p6")?.scrollIntoView({ block: "center", behavior: "instant" });
    const text = document
      .createTreeWalker(document.querySelector("#p6") as Element, 4)
      .nextNode() as Text;
    getSelection()?.setBaseAndExtent(text, 0, text, 20);
    const seen = document.body.dataset;
    new MutationObserver(() => {
      if (document.querySelector("main")?.textContent?.includes("Loading...")) seen.loading = "";
    }).observe(document.body, { subtree: true, childList: true });
  });
  await page.getByRole("region", { name: "Highlight", exact: true }).waitFor();
  const top = () => page.locator("#p6").evaluate((text) => text.getBoundingClientRect().top);
  const before = await top();
  await page.getByRole("button", { name: "Green" }).click();
  await page.locator("#p6 mark.highlight-2").waitFor();
  expect(Math.abs((await top()) - before)).toBeLessThan(2);
  expect(await page.evaluate(() => "loading" in document.body.dataset)).toBe(false);
});

it("a sound plays at the speed that was chosen before, and skips 15 seconds", async () => {
  const page = await site.visit({});
  await site.signUpAsMember(page.context());
  await site.open("/premium/extras/the-slow-mile", page);
  const read = (name: "playbackRate" | "currentTime") =>
    page.locator("audio").evaluate((audio: HTMLAudioElement, name) => audio[name], name);
  await page.getByLabel("Speed").selectOption("1.5");
  await expect.poll(() => read("playbackRate")).toBe(1.5);
  await page.reload();
  await hydrated(page);
  await expect(page.getByLabel("Speed")).toHaveValue("1.5");
  await named(page, "Forward 15 s", "button").click();
  await named(page, "Forward 15 s", "button").click();
  await named(page, "Back 15 s", "button").click();
  await expect.poll(() => read("currentTime")).toBe(15);
});
