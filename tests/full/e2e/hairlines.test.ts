import { describe, expect, it } from "vitest";
import { firefoxPath, launchFirefox, resizeFirefox } from "../../support/browsers/firefox.mjs";
import { siteForThisFile } from "../../support/e2e-site";
import {
  findLetters,
  lettersWithoutBars,
  showLetters,
  THIN_LETTERS,
} from "../../support/hairlines";

/** From a heading within a text to a drop cap of the largest text, in CSS pixels. */
const SIZES = [20, 24, 30, 36, 44, 54, 64, 80, 99, 112, 136];
const WINDOW = { width: 1000, height: 1000 };

const site = siteForThisFile();

describe("display text, at one pixel of the screen to a CSS pixel", () => {
  // the hinting of FreeType, on Linux, drops what is thinner than half a pixel: an "e" becomes a "c"
  it.each([400, 500])("keeps the thin strokes of its letters (weight %i)", async (weight) => {
    const page = await site.visit({ viewport: WINDOW });
    await site.open("/", page);
    const boxes = await page.evaluate(showLetters, { letters: THIN_LETTERS, sizes: SIZES, weight });
    await page.evaluate(() => document.fonts.ready.then(() => {}));
    expect(boxes).toHaveLength(SIZES.length * THIN_LETTERS.length);
    expect(await lettersWithoutBars(await page.screenshot(), boxes)).toEqual([]);
  });

  it.skipIf(firefoxPath() === null)("keeps them in Firefox", async () => {
    const browser = await launchFirefox();
    try {
      const page = await browser.newPage();
      await resizeFirefox(page, WINDOW);
      await page.goto(site.origin);
      await page.waitForSelector("[data-hydrated]");
      const letters = { letters: THIN_LETTERS, sizes: SIZES, weight: 400 };
      const boxes = await page.evaluate(showLetters, letters);
      await page.evaluate(() => document.fonts.ready.then(() => {}));
      expect(await lettersWithoutBars(await page.screenshot(), boxes)).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it.each([390, 1024, 1440])("shows the title as it is spelled (%i px wide)", async (width) => {
    const page = await site.visit({ viewport: { width, height: 900 }, reducedMotion: "reduce" });
    await site.open("/", page);
    const boxes = await page.evaluate(findLetters, { selector: ".hero-title", letters: ["e"] });
    expect(boxes).toHaveLength(2);
    expect(await lettersWithoutBars(await page.screenshot(), boxes)).toEqual([]);
  });
});
