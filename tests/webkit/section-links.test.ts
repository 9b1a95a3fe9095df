import { describe, expect, it } from "vitest";
import { openWebkitWindow } from "../support/browsers/webkit-window";
import { siteForThisFile } from "../support/e2e-site";
import { comeBack, followSectionLinks } from "../support/section-links";

const site = siteForThisFile();

const DESKTOP = { width: 1280, height: 800 };
/** Slightly wider than the narrowest window of Debian's WebKit. */
const NARROW = { width: 480, height: 740 };

describe("every link to a section, in WebKit", () => {
  it.each([
    { javaScript: true, size: DESKTOP },
    { javaScript: false, size: NARROW },
  ])(
    "scrolls there each time, and back restores the position (JavaScript: $javaScript, $size.width px)",
    async (options) => {
      const window = await openWebkitWindow(options);
      try {
        expect(await followSectionLinks(window, site.origin)).toBeGreaterThanOrEqual(11);
        await comeBack(window, site.origin);
      } finally {
        await window.close();
      }
    },
  );
});
