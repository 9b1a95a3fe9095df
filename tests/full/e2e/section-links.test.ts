import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { BrowserWindow } from "../../support/browsers/browser-window";
import { launchChromium, NO_OTHER_HOSTS } from "../../support/browsers/chromium.mjs";
import { firefoxPath } from "../../support/browsers/firefox.mjs";
import { openFirefoxWindow } from "../../support/browsers/firefox-window";
import { openPlaywrightWindow } from "../../support/browsers/playwright-window";
import { Reader } from "../../support/browsers/reader";
import { siteForThisFile } from "../../support/e2e-site";
import { comeBack, followSectionLinks } from "../../support/section-links";

const site = siteForThisFile();
let window: BrowserWindow;

afterEach(async () => {
  const { errors } = window;
  await window.close();
  expect(errors).toEqual([]);
});

describe("every link to a section, in Chromium", () => {
  let browser: Awaited<ReturnType<typeof launchChromium>>;
  beforeAll(async () => {
    browser = await launchChromium({ args: [NO_OTHER_HOSTS] });
  });
  afterAll(() => browser?.close());

  it.each([
    { javaScript: true, size: { width: 1280, height: 800 } },
    { javaScript: false, size: { width: 480, height: 740 } },
  ])("scrolls there (JavaScript: $javaScript, $size.width px)", async (options) => {
    window = await openPlaywrightWindow(browser, { ...options, reducedMotion: true });
    expect(await followSectionLinks(window, site.origin)).toBeGreaterThanOrEqual(11);
    await comeBack(window, site.origin);
  });
});

describe.skipIf(firefoxPath() === null)("every link to a section, in Firefox", () => {
  it("scrolls there; before hydration, going back and forward restores the position at once", async () => {
    const firefox = await openFirefoxWindow({ javaScript: true, reducedMotion: true });
    window = firefox;
    const release = await firefox.holdScripts();
    const reader = new Reader(window, site.origin);
    await reader.visit("/");
    await window.wheel(700);
    const start = await reader.restingPosition();
    await reader.click("Reviews", "header");
    await reader.seesUnderHeader("reviews");
    await reader.goesBackTo("/");
    await reader.restsAt(start);
    await reader.goesForwardTo("/#reviews");
    await reader.seesUnderHeader("reviews");
    await reader.goesBackTo("/");
    await release();
    await expect.poll(() => window.evaluate(isHydrated, null)).toBe(true);
    await reader.restsAt(start);

    expect(await followSectionLinks(window, site.origin)).toBeGreaterThanOrEqual(11);
    await comeBack(window, site.origin);
  });
});

/** Runs in the page. */
function isHydrated(_: null): boolean {
  return document.documentElement.dataset.hydrated !== undefined;
}
