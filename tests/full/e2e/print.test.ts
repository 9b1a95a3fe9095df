import type { Page } from "playwright";
import { beforeAll, expect, it } from "vitest";
import { siteForThisFile } from "../../support/e2e-site";
import { publishSampleIssues } from "../../support/sample-issues.mjs";

const site = siteForThisFile();

beforeAll(() =>
  publishSampleIssues({
    origin: site.origin,
    dataDir: site.dataDir,
    databaseUrl: site.variables.DATABASE_URL,
  }),
);

/** A background below this relative luminance is dark (WCAG 2.2); the gold of the seal has 0.52. */
const DARK = 0.4;
/** Minimum contrast of text with white paper (WCAG 2.2, 1.4.3). */
const MIN_CONTRAST = 4.5;

const PAGES = ["/", "/premium", "/auth", "/newsletter/the-first-mile"];

it.each(PAGES)(
  "prints %s dark on white, without controls and with headings kept with their text",
  async (path) => {
    const page = await site.visit();
    // other visitors are redirected from there
    if (path === "/premium") await site.signUpAsMember(page.context());
    await site.open(path, page);
    await page.emulateMedia({ media: "print" });
    const { dark, pale, shownControls, parted } = await inspectPrint(page);
    expect({ dark, pale, parted }).toEqual({ dark: [], pale: [], parted: [] });
    // the offer itself is printed
    expect(shownControls).toEqual(path === "/" ? ["Get Your Copy - $24.99"] : []);
  },
);

it("prints both pictures from a window that was never scrolled", async () => {
  // the pictures are far below this window, where lazy images have not loaded
  const page = await site.visit({ viewport: { width: 360, height: 640 } });
  await page.goto("/", { waitUntil: "load" });
  await page.emulateMedia({ media: "print" });
  for (const picture of [".book-cover", ".author-portrait"]) {
    const drawing = page.locator(`${picture} > img`).first();
    expect(await drawing.isVisible(), picture).toBe(true);
    expect(
      await drawing.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth),
      picture,
    ).toBe(480);
  }
});

it("shows link targets and the site's address in print only", async () => {
  const page = await site.open("/");
  const addresses = page.locator(".printed-address").filter({ visible: true });
  expect(await addresses.count()).toBe(0);
  await page.emulateMedia({ media: "print" });
  const { host } = new URL(site.origin);
  expect(await addresses.allTextContents()).toEqual([
    `${host}/#purchase`,
    `${host}/#newsletter`,
    host,
  ]);
});

/**
 * Returns a printed page's faults: dark backgrounds, pale text, and headings that may be separated from their text;
 * and the visible controls. The book's cover is a picture and may be dark.
 */
function inspectPrint(page: Page) {
  return page.evaluate(
    ({ DARK, MIN_CONTRAST }) => {
      const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
      if (!canvas) throw new Error("No 2D canvas.");
      /** Relative luminance of a color over white paper. */
      const luminanceOf = (color: string) => {
        canvas.fillStyle = "#fff";
        canvas.fillRect(0, 0, 1, 1);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map(
          (part) =>
            part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
        );
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      const nameOf = (element: Element) =>
        `${element.localName}.${element.getAttribute("class") ?? ""}`;
      const dark: string[] = [];
      const pale: string[] = [];
      const shownControls: string[] = [];
      const parted: string[] = [];
      for (const element of document.querySelectorAll("html, body, body *")) {
        const { width, height } = element.getBoundingClientRect();
        // screen-reader-only text is one pixel in size, and empty boxes have no area
        if (!element.checkVisibility() || width * height <= 1) continue;
        if (element.closest(".book-cover")) continue;
        const style = getComputedStyle(element);
        const isShape = element instanceof SVGGeometryElement;
        const isLarge = width * height > 10_000;
        const background =
          isShape && isLarge && style.fill.startsWith("rgb") ? style.fill : style.backgroundColor;
        if (luminanceOf(background) < DARK || style.backgroundImage !== "none")
          dark.push(nameOf(element));
        const words = [...element.childNodes].some(
          (node) => node instanceof Text && node.data.trim() !== "",
        );
        if (words && !isShape && 1.05 / (luminanceOf(style.color) + 0.05) < MIN_CONTRAST) {
          pale.push(nameOf(element));
        }
        if (element.matches("button, input, nav, [role=tab], .toast, .button, .skip-link")) {
          shownControls.push(element.textContent ?? "");
        }
        if (/^h[1-6]$/.test(element.localName) && style.breakAfter !== "avoid") {
          parted.push(element.textContent ?? "");
        }
      }
      return { dark, pale, shownControls, parted };
    },
    { DARK, MIN_CONTRAST },
  );
}
