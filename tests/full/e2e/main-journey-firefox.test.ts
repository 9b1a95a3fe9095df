import { describe, expect, it } from "vitest";
import { firefoxPath } from "../../support/browsers/firefox.mjs";
import { openFirefoxWindow } from "../../support/browsers/firefox-window";
import { siteForThisFile } from "../../support/e2e-site";
import { completeMainJourney } from "../../support/main-journey";

const site = siteForThisFile();

describe.skipIf(firefoxPath() === null)("the main user journey in Firefox", () => {
  it.each([
    { way: "with JavaScript", javaScript: true },
    { way: "without JavaScript", javaScript: false },
  ])("works $way", async ({ javaScript }) => {
    const window = await openFirefoxWindow({ javaScript });
    try {
      await completeMainJourney(window, { site, email: site.newEmail() });
      expect(window.errors).toEqual([]);
    } finally {
      await window.close();
    }
  });
});
