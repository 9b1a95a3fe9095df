import type { Page } from "playwright";
import { expect } from "playwright/test";
import { beforeAll, describe, it } from "vitest";
import { axeViolations } from "../../support/axe-violations";
import { siteForThisFile } from "../../support/e2e-site";
import { send } from "../../support/http-client";
import { hydrated } from "../../support/hydrated.mjs";
import { type EditionFiles, editionFolder, editionText, writeEdition } from "../../support/library";
import { startProgramSite } from "../../support/program-site";

const site = siteForThisFile();

const WIDTHS = [360, 768, 1280];
const PREVIEW = "/preview/the-hour-before-the-day";

const sitemap = async () => (await send(`${site.origin}/sitemap.xml`)).text;

beforeAll(async () => {
  await expect.poll(sitemap, { timeout: 60_000 }).toContain(PREVIEW);
});

async function expectAccessible(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    expect(await axeViolations(page), `at ${width} px`).toEqual([]);
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await expect.poll(overflow, { message: `at ${width} px` }).toBeLessThanOrEqual(0);
  }
}

/** A member's page at the search; without JavaScript if `plain`. */
async function openSearch({ plain }: { plain: boolean }): Promise<Page> {
  const page = await site.visit({ javaScriptEnabled: !plain });
  await site.subscribe(page.context());
  await page.goto("/premium/search");
  if (!plain) await hydrated(page);
  return page;
}

describe.each([
  { name: "with JavaScript", plain: false },
  { name: "without JavaScript", plain: true },
])("$name, a member", ({ plain }) => {
  it("is told that nothing was found, and offered the contents", async () => {
    const page = await openSearch({ plain });
    await page.getByRole("searchbox").fill('<img src=x onerror="alert(1)"> xylophone');
    await page.getByRole("button", { name: "Search" }).click();
    await expect(
      page.getByRole("heading", { name: /^Nothing in the book has “<img src=x.*xylophone”$/ }),
    ).toBeVisible();
    await expect(page.getByRole("main").locator("img")).toHaveCount(0);
    await page.getByRole("link", { name: "Look through the contents" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Contents");
  });
});

describe("the search", () => {
  it("is accessible in every state, in every window", async () => {
    const page = await openSearch({ plain: false });
    for (const search of ["", "?q=forest+hill", "?q=xylophone", `?q=${"stretch".repeat(28)}`]) {
      await page.goto(`/premium/search${search}`);
      await hydrated(page);
      await expectAccessible(page);
    }
  });

  it("answers the longest addresses, and no cache keeps its pages", async () => {
    const page = await openSearch({ plain: true });
    const answer = await page.goto(`/premium/search?q=${"forest+".repeat(250)}`);
    expect(answer?.status()).toBe(200);
    expect(answer?.headers()["cache-control"]).toMatch(/private, no-store/);
  });
});

describe.each([
  { name: "with JavaScript", plain: false },
  { name: "without JavaScript", plain: true },
])("$name, a visitor", ({ plain }) => {
  it("reads on from the preview to the whole of chapter 1, and on to the membership", async () => {
    const page = await site.visit({ javaScriptEnabled: !plain });
    await page.goto("/");
    if (!plain) await hydrated(page);
    await page.getByRole("main").getByRole("link", { name: "Read Preview" }).click();
    await expect(page).toHaveURL(/\/#preview$/);
    const excerpt = await page.locator("#preview article p").allInnerTexts();
    await page.getByRole("link", { name: "Read all of chapter 1" }).click();
    await expect(page).toHaveURL(site.origin + PREVIEW);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("The Hour Before the Day");
    // the excerpt is how the chapter begins
    const text = await page.locator("#p1").textContent();
    expect(excerpt.join(" ")).toContain(text?.replace(/\s+/g, " ").slice(30));
    await expect(page.getByRole("heading", { name: "The step" })).toBeVisible();
    await page.getByRole("link", { name: "See the membership" }).click();
    await expect(page).toHaveURL(/\/#purchase$/);
  });
});

describe("a search engine", () => {
  it("is given the book and its price, and a rating on no page", async () => {
    const addresses = [...(await sitemap()).matchAll(/<loc>([^<]+)/g)].map(
      ([, address]) => address,
    );
    expect(addresses).toContain(`${site.origin}/`);
    for (const address of addresses) {
      const { text } = await send(address ?? "");
      expect(text, address).toContain("application/ld+json");
      expect(text, address).not.toMatch(/aggregateRating|ratingValue|reviewCount|itemprop/i);
    }
  });
});

describe("the preview", () => {
  it("is accessible in every window", async () => {
    const page = await site.open(PREVIEW);
    await expectAccessible(page);
  });

  it("leads a member to the next chapter", async () => {
    const page = await site.visit();
    await site.subscribe(page.context());
    await page.goto(PREVIEW);
    await expect(page.getByRole("link", { name: "See the membership" })).toHaveCount(0);
    await page.getByRole("link", { name: "Read on" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("The Weight You Carry");
  });

  it("has nothing of the chapters for members, by whatever address", async () => {
    const { text } = await send(site.origin + PREVIEW);
    expect(text).toContain("The Hour Before the Day");
    for (const path of [
      "/preview/the-weight-you-carry",
      "/preview/the-weight-you-carry.data",
      "/preview/The-Hour-Before-The-Day",
      "/preview/%74he-weight-you-carry",
      "/preview/02-the-weight-you-carry.md",
      "/preview/the-hour-before-the-day/the-weight-you-carry",
      "/preview/..%2fpremium%2fchapters%2fthe-weight-you-carry",
      "/preview/%00",
      "/preview/",
      "/preview",
    ]) {
      const answer = await send(site.origin + path);
      expect([400, 404], path).toContain(answer.status);
      expect(answer.text, path).not.toContain("Weight You Carry");
    }
  });

  it("follows a new edition at once, though pages are cached for a minute", async () => {
    const gates = (fields: Record<string, string | boolean>, body: string): EditionFiles => ({
      "chapters/01-gates.md": editionText(
        { title: "Gates", summary: "How to begin.", order: 1, ...fields },
        body,
      ),
    });
    const folder = editionFolder(gates({ public: true }, "There is a gate."));
    const own = await startProgramSite({ CONTENT_DIR: folder.path });
    try {
      const text = async (path: string) => (await send(own.origin + path)).text;
      const status = async (path: string) => (await send(own.origin + path)).status;
      await expect.poll(() => text("/preview/gates")).toContain("There is a gate.");
      expect(await text("/")).toContain('href="/preview/gates"');

      writeEdition(folder.path, gates({ public: true }, "There is no gate."));
      await expect
        .poll(() => text("/preview/gates"), { timeout: 60_000 })
        .toContain("There is no gate.");
      expect(await text("/")).toContain("There is no gate.");
      expect(await text("/sitemap.xml")).toContain("/preview/gates<");

      writeEdition(folder.path, gates({}, "There is a secret.\n\nIt is this."));
      await expect.poll(() => status("/preview/gates"), { timeout: 60_000 }).toBe(404);
      expect(await text("/")).not.toContain("/preview/gates");
      expect(await text("/sitemap.xml")).not.toContain("/preview/");
    } finally {
      await own.close();
      folder.remove();
    }
  });
});
