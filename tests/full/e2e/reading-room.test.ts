import type { BrowserContext, BrowserContextOptions, Page } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { axeViolations } from "../../support/axe-violations";
import { siteForThisFile } from "../../support/e2e-site";
import { hydrated } from "../../support/hydrated.mjs";

const CHAPTER = "/premium/chapters/the-weight-you-carry";

// it serves the sample edition
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

/** The names of the settings' buttons of which a point is painted by something else, on any line across them. */
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
  it.each([
    { width: 360, colorScheme: "light" as const },
    { width: 1280, colorScheme: "dark" as const },
  ])(
    "has no accessibility violations ($width px, $colorScheme)",
    async ({ width, colorScheme }) => {
      const page = await read(CHAPTER, { colorScheme, viewport: { width, height: 800 } });
      expect(await axeViolations(page)).toEqual([]);
      await page.locator("summary", { hasText: "Text size and theme" }).click();
      expect(await axeViolations(page)).toEqual([]);
      await page.goto("/premium/chapters");
      expect(await axeViolations(page)).toEqual([]);
    },
  );

  it("turns its pages with the arrow keys, and comes with its text and styles", async () => {
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
  it("are as the device asks, until chosen", async () => {
    expect(await paper(await read(CHAPTER, { colorScheme: "dark" }))).toBe(NIGHT);
    expect(await paper(await read(CHAPTER, { colorScheme: "light" }))).toBe(PAPER);
  });

  it("change at once, and are kept", async () => {
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

  it("are chosen without JavaScript, and the page opens at the same place", async () => {
    const page = await read(CHAPTER, { javaScriptEnabled: false, colorScheme: "light" });
    await page.locator("summary", { hasText: "Text size and theme" }).click();
    // nothing of the page lies over them
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
