import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { BrowserWindow } from "../support/browsers/browser-window";
import { launchChromium, NO_OTHER_HOSTS } from "../support/browsers/chromium.mjs";
import { firefoxPath } from "../support/browsers/firefox.mjs";
import { openFirefoxWindow } from "../support/browsers/firefox-window";
import { openPlaywrightWindow } from "../support/browsers/playwright-window";
import { siteForThisFile } from "../support/e2e-site";
import { completeMainJourney } from "../support/main-journey";

const site = siteForThisFile();
let window: BrowserWindow;

afterEach(async () => {
  const { errors } = window;
  await window.close();
  expect(errors).toEqual([]);
});

const WAYS = [
  { way: "with JavaScript", javaScript: true },
  { way: "without JavaScript", javaScript: false },
];

describe("the main user journey in Chromium", () => {
  let browser: Awaited<ReturnType<typeof launchChromium>>;
  beforeAll(async () => {
    browser = await launchChromium({
      args: [NO_OTHER_HOSTS],
    });
  });
  afterAll(() => browser?.close());

  it.each(WAYS)("works $way", async ({ javaScript }) => {
    window = await openPlaywrightWindow(browser, { javaScript });
    await completeMainJourney(window, { site, email: site.newEmail() });
  });
});

describe.skipIf(firefoxPath() === null)("the main user journey in Firefox", () => {
  it.each(WAYS)("works $way", async ({ javaScript }) => {
    window = await openFirefoxWindow({ javaScript });
    await completeMainJourney(window, { site, email: site.newEmail() });
  });
});
