import type { BrowserContext, BrowserContextOptions, Page } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { siteForThisFile } from "../../support/e2e-site";
import { hydrated } from "../../support/hydrated.mjs";

const CHAPTER = "/premium/chapters/the-weight-you-carry";

// serves the sample edition
const site = siteForThisFile();
let cookies: Awaited<ReturnType<BrowserContext["cookies"]>>;

beforeAll(async () => {
  const page = await site.visit();
  await site.signUpAsMember(page.context());
  await page.goto("/");
  cookies = await page.context().cookies();
});

/** A page as the member sees it. */
async function read(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await site.visit(options);
  await page.context().addCookies(cookies);
  await page.goto(path);
  if (options.javaScriptEnabled !== false) await hydrated(page);
  return page;
}

const paper = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const textSize = (page: Page) =>
  page.locator("#p2").evaluate((text) => Number.parseFloat(getComputedStyle(text).fontSize));

/** Returns the names of settings buttons that something else covers, at any height of their middle. */
const coveredButtons = (page: Page) =>
  page.evaluate(() => {
    const isCovered = (button: Element) => {
      const { left, top, width, height } = button.getBoundingClientRect();
      const points = Array.from({ length: Math.floor(height) }, (_, y) => y + 0.5);
      return points.some((y) => {
        const hit = document.elementFromPoint(left + width / 2, top + y);
        return !hit || !button.contains(hit);
      });
    };
    const buttons = [...document.querySelectorAll(".reading-settings button")];
    return buttons.filter(isCovered).map((button) => button.textContent);
  });

const PAPER = "rgb(253, 249, 241)";
const NIGHT = "rgb(28, 23, 18)";

describe("a chapter", () => {
  it("opens its neighbours by arrow key, with their text and styles", async () => {
    const page = await read(CHAPTER);
    await page.keyboard.press("ArrowRight");
    await page.getByRole("heading", { level: 1, name: "Small Hinges" }).waitFor();
    expect(await page.locator("#p1").textContent()).toMatch(/\w/);
    expect(await page.locator("#text").textContent()).not.toContain("a cast-iron frying pan");
    await page.keyboard.press("Alt+Shift+ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("heading", { level: 1, name: "The Weight You Carry" }).waitFor();
  });

  it("has lines of 60 to 70 characters, with the note beside its paragraph", async () => {
    const page = await read(CHAPTER, { viewport: { width: 1280, height: 800 } });
    const lines = await page.locator("#p2").evaluate((paragraph) => {
      const { height } = paragraph.getBoundingClientRect();
      const count = Math.round(height / Number.parseFloat(getComputedStyle(paragraph).lineHeight));
      return (paragraph.textContent?.length ?? 0) / count;
    });
    // the last line is not full
    expect(lines).toBeGreaterThan(52);
    expect(lines).toBeLessThan(70);
    const note = await page.locator(".footnote").boundingBox();
    const text = await page.locator("#p2").boundingBox();
    expect(note?.x).toBeGreaterThan((text?.x ?? 0) + (text?.width ?? 0));
  });
});

describe("theme and text size", () => {
  it("follow the device until chosen", async () => {
    const page = await read(CHAPTER, { colorScheme: "dark" });
    expect(await paper(page)).toBe(NIGHT);
    await page.emulateMedia({ colorScheme: "light" });
    expect(await paper(page)).toBe(PAPER);
  });

  it("change at once, and are saved", async () => {
    const page = await read(CHAPTER, { colorScheme: "light" });
    const before = await textSize(page);
    await page.locator("summary", { hasText: "Text size and theme" }).click();
    const kept = page.waitForResponse((response) => response.url().endsWith("/premium/reading"));
    await page.getByRole("button", { name: "Night" }).click();
    expect(await paper(page)).toBe(NIGHT);
    await kept;
    const keptAgain = page.waitForResponse((answer) => answer.url().endsWith("/premium/reading"));
    await page.getByRole("button", { name: "Very large" }).click();
    expect(await textSize(page)).toBeGreaterThan(before);
    await keptAgain;
    await page.goto("/premium/chapters/small-hinges");
    expect(await page.locator("html").getAttribute("data-theme")).toBe("night");
    expect(await textSize(page)).toBeGreaterThan(before);
    await page.goto("/");
    expect(await paper(page)).toBe(PAPER);
  });

  it("can be chosen without JavaScript, and the page opens at the same place", async () => {
    const page = await read(CHAPTER, { javaScriptEnabled: false, colorScheme: "light" });
    await page.locator("summary", { hasText: "Text size and theme" }).click();
    // the page covers none of the buttons
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await coveredButtons(page)).toEqual([]);
    await page.getByRole("button", { name: "Night" }).click();
    await page.waitForURL(`**${CHAPTER}#reading-settings`);
    expect(await paper(page)).toBe(NIGHT);
    expect(await page.getByRole("button", { name: "Night" }).getAttribute("aria-pressed")).toBe(
      "true",
    );
  });
});

it("a search without results offers the book's contents", async () => {
  const page = await read("/premium/search", { javaScriptEnabled: false });
  await page.getByRole("searchbox").fill('<img src=x onerror="alert(1)"> xylophone');
  await page.getByRole("button", { name: "Search" }).click();
  await page
    .getByRole("heading", { name: /^Nothing in the book has “<img src=x.*xylophone”$/ })
    .waitFor();
  expect(await page.getByRole("main").locator("img").count()).toBe(0);
  await page.getByRole("link", { name: "Look through the contents" }).click();
  await page.getByRole("heading", { level: 1, name: "Contents" }).waitFor();
});

describe("the preview", () => {
  const PREVIEW = "/preview/the-hour-before-the-day";

  it("leads a visitor from the excerpt to the full chapter and the membership", async () => {
    const page = await site.open("/");
    const excerpt = await page.locator("#preview article p").allInnerTexts();
    await page.getByRole("link", { name: "Read all of chapter 1" }).click();
    await page.waitForURL(`**${PREVIEW}`);
    // the chapter begins with the excerpt
    const text = await page.locator("#p1").textContent();
    expect(excerpt.join(" ")).toContain(text?.replace(/\s+/g, " ").slice(30));
    await page.getByRole("heading", { name: "The step" }).waitFor();
    await page.getByRole("link", { name: "See the membership" }).click();
    await page.waitForURL("**/#purchase");
  });

  it("leads a member to the next chapter", async () => {
    const page = await read(PREVIEW);
    expect(await page.getByRole("link", { name: "See the membership" }).count()).toBe(0);
    await page.getByRole("link", { name: "Read on" }).click();
    await page.getByRole("heading", { level: 1, name: "The Weight You Carry" }).waitFor();
  });
});

it("search engines get the book and its price, but no rating on any page", async () => {
  const sitemap = await (await fetch(`${site.origin}/sitemap.xml`)).text();
  const addresses = [...sitemap.matchAll(/<loc>([^<]+)/g)].map(([, address = ""]) => address);
  expect(addresses).toContain(`${site.origin}/`);
  for (const address of addresses) {
    const text = await (await fetch(address)).text();
    expect(text, address).toContain("application/ld+json");
    expect(text, address).not.toMatch(/aggregateRating|ratingValue|reviewCount|itemprop/i);
  }
});
