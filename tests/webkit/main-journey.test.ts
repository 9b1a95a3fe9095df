import { describe, it } from "vitest";
import { openWebkitWindow } from "../support/browsers/webkit-window";
import { siteForThisFile } from "../support/e2e-site";
import { completeMainJourney } from "../support/main-journey";

const site = siteForThisFile();

describe("the main user journey in WebKit", () => {
  it.each([
    { way: "with JavaScript", javaScript: true },
    { way: "without JavaScript", javaScript: false },
  ])("works $way", async ({ javaScript }) => {
    const window = await openWebkitWindow({ javaScript });
    try {
      await completeMainJourney(window, { site, email: site.newEmail() });
    } finally {
      await window.close();
    }
  });
});
