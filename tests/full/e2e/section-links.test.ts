import { afterEach, describe, expect, it } from "vitest";
import { firefoxPath } from "../../support/browsers/firefox.mjs";
import { type FirefoxWindow, openFirefoxWindow } from "../../support/browsers/firefox-window";
import { Reader } from "../../support/browsers/reader";
import { siteForThisFile } from "../../support/e2e-site";
import { comeBack, followSectionLinks } from "../../support/section-links";

const site = siteForThisFile();
let window: FirefoxWindow;

afterEach(async () => {
  const { errors } = window;
  await window.close();
  expect(errors).toEqual([]);
});

describe.skipIf(firefoxPath() === null)("every link to a section, in Firefox", () => {
  it("scrolls there each time, with JavaScript", async () => {
    window = await openFirefoxWindow({ javaScript: true, reducedMotion: true });
    expect(await followSectionLinks(window, site.origin)).toBeGreaterThanOrEqual(11);
    await comeBack(window, site.origin);
  });

  it("scrolls back and forward at once if it was followed before hydration", async () => {
    window = await openFirefoxWindow({ javaScript: true, reducedMotion: true });
    const release = await window.holdScripts();
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
    await reader.restsAt(start);
    await release();
    await expect.poll(() => window.evaluate(isHydrated, null)).toBe(true);
    await reader.restsAt(start);
  });
});

/** Runs in the page. */
function isHydrated(_: null): boolean {
  return document.documentElement.dataset.hydrated !== undefined;
}
