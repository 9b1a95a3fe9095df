import { wcagContrast } from "culori";
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
const SEPIA = "rgb(241, 227, 200)";
const NIGHT = "rgb(28, 23, 18)";
const PREVIEW = "/preview/the-hour-before-the-day";

describe("a chapter", () => {
  it("has its contents, search and keys in a panel, which gives the focus back", async () => {
    const page = await read(CHAPTER);
    const panel = page.getByRole("dialog");
    const focused = page.locator(":focus");
    const search = page.getByRole("link", { name: "Search" });
    await search.press("Enter");
    expect(await focused.getAttribute("type")).toBe("search");
    // a character in a field is a character
    await page.keyboard.type("?/");
    expect(await focused.inputValue()).toBe("?/");
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "hidden" });
    expect(await search.evaluate((link) => link === document.activeElement)).toBe(true);

    await page.keyboard.press("?");
    expect(await focused.textContent()).toBe("Keys");
    await panel.getByRole("checkbox").uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    expect(await panel.isVisible()).toBe(false);

    await page.getByRole("link", { name: "Contents", exact: true }).first().click();
    await panel.getByRole("link", { name: "Small Hinges" }).click();
    await page.getByRole("heading", { level: 1, name: "Small Hinges" }).waitFor();
    expect(await panel.isVisible()).toBe(false);
  });

  it("steps through the places that a search has found in it", async () => {
    const page = await read(CHAPTER);
    await page.keyboard.press("/");
    await page.keyboard.type("pack");
    await page.getByRole("button", { name: "In this text" }).click();
    await page.waitForURL(`**${CHAPTER}?q=pack`);
    await hydrated(page);
    const steps = page.getByRole("navigation", { name: "Matches of pack" });
    const count = await page.locator("#text mark").count();
    await steps.getByText(`1 of ${count}`).waitFor();
    await page.keyboard.press("n");
    await steps.getByText(`2 of ${count}`).waitFor();
    await page.keyboard.press("p");
    await page.keyboard.press("p");
    await steps.getByText(`${count} of ${count}`).waitFor();
    await steps.getByRole("link", { name: "Clear" }).click();
    await steps.waitFor({ state: "detached" });

    const plain = await read(`${CHAPTER}?q=pack`, { javaScriptEnabled: false });
    await plain.getByRole("link", { name: "2", exact: true }).click();
    await plain.waitForURL("**#hit-2");
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

describe("reading settings", () => {
  const openSettings = (page: Page) =>
    page.locator("summary", { hasText: "Reading settings" }).click();

  /** Presses the button of a choice, and waits until it is saved. */
  async function choose(page: Page, setting: string, choice: string): Promise<void> {
    const saved = page.waitForResponse((answer) => answer.url().endsWith("/reading-settings"));
    const group = page.getByRole("group", { name: setting });
    await group.getByRole("button", { name: choice, exact: true }).click();
    expect((await saved).status()).toBe(200);
  }

  const styleOf = (page: Page, property: string) =>
    page
      .locator("#p2")
      .evaluate((text, name) => getComputedStyle(text).getPropertyValue(name), property);

  it("follow the device until chosen", async () => {
    const page = await read(CHAPTER, { colorScheme: "dark" });
    expect(await paper(page)).toBe(NIGHT);
    await page.emulateMedia({ colorScheme: "light" });
    expect(await paper(page)).toBe(PAPER);
  });

  it("change a chapter at once, and a second device and every other page when they are opened", async () => {
    const page = await read(CHAPTER, { colorScheme: "light" });
    const before = await textSize(page);
    const [line, font] = [await styleOf(page, "line-height"), await styleOf(page, "font-family")];
    await openSettings(page);
    await choose(page, "Theme", "Night");
    expect(await paper(page)).toBe(NIGHT);
    await choose(page, "Text size", "Very large");
    await choose(page, "Line height", "Loose");
    await choose(page, "Width", "Narrow");
    await choose(page, "Justified", "Yes");
    const fetched = page.waitForRequest(/opendyslexic.*woff2/i);
    await choose(page, "Typeface", "OpenDyslexic");
    await fetched;

    const device = await read("/premium/chapters/small-hinges", { colorScheme: "light" });
    for (const each of [page, device]) {
      expect(await textSize(each)).toBeGreaterThan(before);
      expect(Number.parseFloat(await styleOf(each, "line-height"))).toBeGreaterThan(
        Number.parseFloat(line),
      );
      expect(await styleOf(each, "font-family")).not.toBe(font);
      expect(await styleOf(each, "text-align")).toBe("justify");
    }
    for (const path of ["/", "/account", "/premium", "/newsletter/archive", "/the-wrong-turn"]) {
      await device.goto(path);
      expect(await paper(device), path).toBe(NIGHT);
      const tint = device.locator("meta[name=theme-color]");
      expect(await tint.getAttribute("content"), path).toBe("#1c1712");
    }
  });

  it("can be chosen without JavaScript, and the page opens at the same place", async () => {
    const page = await read(CHAPTER, { javaScriptEnabled: false, colorScheme: "light" });
    await openSettings(page);
    // the page covers none of the buttons
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await coveredButtons(page)).toEqual([]);
    await page.getByRole("button", { name: "Sepia" }).click();
    await page.waitForURL(`**${CHAPTER}#reading-settings`);
    expect(await paper(page)).toBe(SEPIA);
    const pressed = page.getByRole("button", { name: "Sepia", pressed: true });
    await pressed.waitFor();
  });

  it("of a visitor are the preview's, from the first paint, and nobody else's", async () => {
    const page = await site.visit({ javaScriptEnabled: false, colorScheme: "light" });
    await page.goto(PREVIEW);
    await openSettings(page);
    await page.getByRole("button", { name: "Night" }).click();
    await page.waitForURL(`**${PREVIEW}#reading-settings`);
    expect(await paper(page)).toBe(NIGHT);
    await page.goto("/");
    expect(await paper(page)).toBe(NIGHT);
    const another = await site.visit({ colorScheme: "light" });
    await another.goto(PREVIEW);
    expect(await paper(another)).toBe(PAPER);
  });

  it("of a visitor become a new account's, and give way to those of an old one", async () => {
    const page = await site.visit({ colorScheme: "light" });
    await site.open(PREVIEW, page);
    await openSettings(page);
    await choose(page, "Theme", "Sepia");
    const { email } = await site.signUp(page.context());
    await page.goto("/account");
    expect(await paper(page)).toBe(SEPIA);

    const device = await site.visit({ colorScheme: "light" });
    await site.open(PREVIEW, device);
    await openSettings(device);
    await choose(device, "Theme", "Night");
    await site.signIn(device.context(), email);
    await device.goto("/account");
    expect(await paper(device)).toBe(SEPIA);
  });

  it("keep found words readable in each theme", async () => {
    const page = await read("/premium/search?q=forest");
    for (const theme of ["paper", "sepia", "night"]) {
      await page.locator("html").evaluate((html, name) => {
        html.dataset.theme = name;
      }, theme);
      const [color = "", ground = ""] = await page
        .locator("mark")
        .first()
        .evaluate((mark) => {
          const { color, backgroundColor } = getComputedStyle(mark);
          return [color, backgroundColor];
        });
      expect(wcagContrast(color, ground), theme).toBeGreaterThan(4.5);
    }
  });
});

it("a search without results offers the book's contents", async () => {
  const page = await read("/premium/search", { javaScriptEnabled: false });
  await page.getByRole("searchbox").fill('<img src=x onerror="alert(1)"> xylophone');
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("heading", { name: /^No matches for “<img src=x.*xylophone”$/ }).waitFor();
  expect(await page.getByRole("main").locator("img").count()).toBe(0);
  await page.getByRole("link", { name: "Browse the contents" }).click();
  await page.getByRole("heading", { level: 1, name: "Contents" }).waitFor();
});

describe("the preview", () => {
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
