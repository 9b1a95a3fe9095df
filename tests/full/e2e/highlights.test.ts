import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeViolations } from "../../support/axe-violations";
import { launchChromium, NO_OTHER_HOSTS } from "../../support/browsers/chromium.mjs";
import { firefoxPath } from "../../support/browsers/firefox.mjs";
import { openFirefoxWindow } from "../../support/browsers/firefox-window";
import { openPlaywrightWindow } from "../../support/browsers/playwright-window";
import { siteForThisFile } from "../../support/e2e-site";
import { highlightAndNote } from "../../support/highlight-story";
import { hydrated } from "../../support/hydrated.mjs";

const site = siteForThisFile();

describe("a highlight", () => {
  let browser: Awaited<ReturnType<typeof launchChromium>>;
  beforeAll(async () => {
    browser = await launchChromium({ args: [NO_OTHER_HOSTS] });
  });
  afterAll(() => browser?.close());

  it.each([true, false])("is made and noted in Chromium (JavaScript: %s)", async (javaScript) => {
    const window = await openPlaywrightWindow(browser, { javaScript });
    try {
      await highlightAndNote(window, { site, javaScript });
    } finally {
      await window.close();
    }
  });

  it.skipIf(firefoxPath() === null)("is made and noted in Firefox", async () => {
    const window = await openFirefoxWindow({ javaScript: true });
    try {
      await highlightAndNote(window, { site, javaScript: true });
    } finally {
      await window.close();
    }
  });

  it("is made, changed and printed by keyboard alone, on accessible pages", async () => {
    const page = await site.visit({ viewport: { width: 360, height: 740 } });
    await site.signUpAsMember(page.context());
    await site.open("/premium/chapters/the-weight-you-carry", page);
    await page.keyboard.press("h");
    await page.getByRole("heading", { level: 1, name: "Highlight a passage" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("checkbox").nth(1).focus();
    await page.keyboard.press("Space");
    await page.getByLabel("Note", { exact: true }).focus();
    await page.keyboard.type("Mine.");
    await page.getByRole("button", { name: "Save highlight" }).press("Enter");
    const change = page.getByRole("link", { name: "Change yellow highlight, with note 1" });
    await change.waitFor();
    await hydrated(page);
    await change.press("Enter");
    const tools = page.getByRole("region", { name: "Highlight", exact: true });
    await tools.getByRole("button", { name: "Pink" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const pink = page.getByRole("link", { name: "Change pink highlight, with note 1" });
    await pink.waitFor();
    await expect.poll(() => pink.evaluate((link) => link === document.activeElement)).toBe(true);
    expect(await page.locator("#text mark").first().textContent()).toMatch(/^\S/);

    await page.getByRole("textbox", { name: "Your notes" }).fill("Of the chapter.");
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    expect(await page.locator(".notes-printed").textContent()).toBe("Of the chapter.");
    expect(await page.locator("#highlights li").textContent()).toMatch(/Mine\.$/);
    expect(await page.locator("textarea:visible, .passage-tools:visible").count()).toBe(0);
    await page.emulateMedia({ media: "screen" });
    await page.goto("/premium/highlights");
    expect(await axeViolations(page)).toEqual([]);
  });
});
