import { describe, it } from "vitest";
import { openWebkitWindow } from "../support/browsers/webkit-window";
import { siteForThisFile } from "../support/e2e-site";
import { doMainJob } from "../support/main-job";

const site = siteForThisFile();

describe("the main job in WebKit", () => {
  it.each([
    { way: "with JavaScript", javaScript: true },
    { way: "without JavaScript", javaScript: false },
  ])("is done $way", async ({ javaScript }) => {
    const window = await openWebkitWindow({ javaScript });
    try {
      await doMainJob(window, { site, email: site.newEmail() });
    } finally {
      await window.close();
    }
  });
});
