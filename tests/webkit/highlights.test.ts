import { describe, it } from "vitest";
import { openWebkitWindow } from "../support/browsers/webkit-window";
import { siteForThisFile } from "../support/e2e-site";
import { highlightAndNote } from "../support/highlight-story";

const site = siteForThisFile();

describe("highlights in WebKit", () => {
  it.each([true, false])("are made and noted (JavaScript: %s)", async (javaScript) => {
    const window = await openWebkitWindow({ javaScript });
    try {
      await highlightAndNote(window, { site, javaScript });
    } finally {
      await window.close();
    }
  });
});
