import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium, NO_OTHER_HOSTS } from "../support/browsers/chromium.mjs";
import { openPlaywrightWindow } from "../support/browsers/playwright-window";
import { siteForThisFile } from "../support/e2e-site";
import { completeMainJourney } from "../support/main-journey";

const site = siteForThisFile();

describe("the main user journey in Chromium", () => {
  let browser: Awaited<ReturnType<typeof launchChromium>>;
  beforeAll(async () => {
    browser = await launchChromium({ args: [NO_OTHER_HOSTS] });
  });
  afterAll(() => browser?.close());

  it.each([
    { way: "with JavaScript", javaScript: true },
    { way: "without JavaScript", javaScript: false },
  ])("works $way", async ({ javaScript }) => {
    const window = await openPlaywrightWindow(browser, { javaScript });
    try {
      await completeMainJourney(window, { site, email: site.newEmail() });
      expect(window.errors).toEqual([]);
    } finally {
      await window.close();
    }
  });
});
