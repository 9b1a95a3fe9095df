import { afterEach, describe, expect, it } from "vitest";
import type { BrowserWindow } from "../support/browsers/browser-window";
import { firefoxPath } from "../support/browsers/firefox.mjs";
import { openFirefoxWindow } from "../support/browsers/firefox-window";
import { siteForThisFile } from "../support/e2e-site";
import { comeBack, followSectionLinks } from "../support/section-links";

const site = siteForThisFile();
let window: BrowserWindow;

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

  it("scrolls there each time, from the menu of a phone and without JavaScript", async () => {
    const size = { width: 360, height: 740 };
    window = await openFirefoxWindow({ javaScript: false, size });
    expect(await followSectionLinks(window, site.origin)).toBeGreaterThanOrEqual(11);
    await comeBack(window, site.origin);
  });
});
