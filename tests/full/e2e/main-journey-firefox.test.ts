import { describe, expect, it } from "vitest";
import { firefoxPath } from "../../support/browsers/firefox.mjs";
import { openFirefoxWindow } from "../../support/browsers/firefox-window";
import { siteForThisFile } from "../../support/e2e-site";
import { completeMainJourney } from "../../support/main-journey";

const site = siteForThisFile();

describe.skipIf(firefoxPath() === null)("the main user journey in Firefox", () => {
  // every browser posts plain forms the same way
  it("works with JavaScript", async () => {
    const window = await openFirefoxWindow({ javaScript: true });
    try {
      await completeMainJourney(window, { site, email: site.newEmail() });
      expect(window.errors).toEqual([]);
    } finally {
      await window.close();
    }
  });
});
