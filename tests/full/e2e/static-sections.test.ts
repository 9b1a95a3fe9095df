import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, it } from "vitest";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";
import { send } from "../../support/http-client";

const site = siteForThisFile();

beforeAll(async () => {
  // another edition has other sections
  await expect
    .poll(async () => (await send(`${site.origin}/`)).text)
    .toContain("Read all of chapter");
});

/** Words of each section that nothing in the browser changes. */
const WORDS = {
  about: "drawn from behavioral research",
  preview: "borrowed ambitions",
  author: "an elderly dog",
  reviews: "began with Tuesday",
};

/** The texts of all scripts that the build holds. */
function builtScripts(): string {
  const folder = join(import.meta.dirname, "../../../public/build");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
}

describe("the landing page's static sections", () => {
  it("are in the page once, and their words in no script", async () => {
    const { text } = await send(`${site.origin}/`);
    const built = builtScripts();
    const isBuilt = (words: string) => built.includes(words);
    expect(isBuilt("Get Your Copy")).toBe(true);
    for (const words of Object.values(WORDS)) {
      expect(text.split(words).length - 1).toBe(1);
      expect(isBuilt(words) ? words : null).toBeNull();
    }
    // nor their components: the heading is in none, either
    expect(isBuilt("Read the first pages")).toBe(false);
  });

  it("are left as they came when the page hydrates, and when the viewer is checked again", async () => {
    const page = await site.visit();
    await page.addInitScript(() => {
      const changes: string[] = [];
      Object.assign(window, { changes });
      addEventListener("DOMContentLoaded", () => {
        const sections = document.getElementById("sections");
        if (!sections) throw new Error("There are no sections.");
        new MutationObserver((records) =>
          changes.push(...records.map(({ type, target }) => `${type} ${target.nodeName}`)),
        ).observe(sections, { subtree: true, childList: true, characterData: true });
      });
    });
    await site.open("/", page);
    const reloaded = page.waitForResponse((response) => response.url().includes(".data"));
    await page.evaluate(() => {
      dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
    });
    await (await reloaded).finished();
    await page.waitForTimeout(300);
    expect(await page.evaluate(() => (window as { changes?: string[] }).changes)).toEqual([]);
  });

  it("come with a navigation within the site, too", async () => {
    const page = await site.open("/auth");
    await page.getByRole("link", { name: "Back to Home" }).click();
    for (const [id, words] of Object.entries(WORDS)) {
      await expect(page.locator(`#${id}`)).toContainText(words);
    }
  });

  it("hold links that are followed without loading a page", async () => {
    const page = await site.open("/");
    const whole = page.getByRole("link", { name: /^Read all of chapter/ });
    await expect(whole).toBeVisible();
    await page.evaluate(() => Object.assign(window, { isSame: true }));
    await whole.click();
    await expect(page).toHaveURL(/\/preview\//);
    await expect(page.locator("h1")).toBeVisible();
    expect(await page.evaluate(() => (window as { isSame?: boolean }).isSame)).toBe(true);
    await page.goBack();
    await expect(page.locator("#reviews")).toContainText(WORDS.reviews);
    expect(await page.evaluate(() => (window as { isSame?: boolean }).isSame)).toBe(true);
  });
});
