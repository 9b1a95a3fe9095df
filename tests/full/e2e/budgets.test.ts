import { readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";
import type { Page, Request, Route } from "playwright";
import { beforeEach, describe, expect, it } from "vitest";
import { siteForThisFile } from "../../support/e2e-site";
import { hydrated } from "../../support/hydrated.mjs";

/** The limit for the bodies of all scripts that a page loads without interaction, in bytes. */
const SCRIPT_BUDGET = 110_000;
const STYLE_BUDGET = 14_000;
const SHIFT_BUDGET = 0.02;

const PHOTO_HOST = "images.unsplash.com";
/** Replaces the photographs. */
const PHOTO = readFileSync("public/icon-512.png");

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

const site = siteForThisFile();
let page: Page;

beforeEach(async () => {
  page = await site.visit({ viewport: DESKTOP });
});

async function onPhotos(answer: (route: Route) => Promise<void> | void): Promise<void> {
  await page.route(`https://${PHOTO_HOST}/**`, answer);
}

const showPhoto = (route: Route) => route.fulfill({ body: PHOTO, contentType: "image/png" });

/** Scrolls to the end of the page by mouse wheel, to load lazy images. */
async function readToEnd(): Promise<void> {
  const end = await page.evaluate(() => document.documentElement.scrollHeight);
  for (let y = 0; y < end; y += 500) {
    await page.evaluate((top) => window.scrollTo({ top, behavior: "instant" }), y);
    await nextFrame();
  }
  await page.waitForLoadState("networkidle");
}

function nextFrame(): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );
}

/** A response's size on the wire; if sent without Brotli, its size with Brotli. */
async function transferred(request: Request): Promise<number> {
  const response = await request.response();
  if (!response) throw new Error(`${request.url()} has no response.`);
  if ((await response.headerValue("content-encoding")) === "br") {
    return (await request.sizes()).responseBodySize;
  }
  return brotliCompressSync(await response.body(), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11 },
  }).length;
}

describe("a first visit", () => {
  it.each(["/", "/auth", "/preview/the-hour-before-the-day"])(
    "to %s transfers at most 110 KB of JavaScript and 14 KB of CSS",
    async (path) => {
      const requests: Request[] = [];
      page.on("request", (request) => requests.push(request));
      await onPhotos(showPhoto);
      await page.goto(path);
      await hydrated(page);
      await page.waitForLoadState("networkidle");

      const weights = (extension: string) => {
        const files = requests.filter((request) =>
          new URL(request.url()).pathname.endsWith(extension),
        );
        return Promise.all(files.map(transferred));
      };
      const scripts = await weights(".js");
      expect(scripts.length).toBeGreaterThan(1);
      expect(sum(scripts)).toBeLessThanOrEqual(SCRIPT_BUDGET);
      const styles = await weights(".css");
      expect(styles.length).toBeGreaterThan(0);
      expect(sum(styles)).toBeLessThanOrEqual(STYLE_BUDGET);
    },
  );
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

describe("the first visit to the landing page", () => {
  it.each([DESKTOP, PHONE])(
    "requests only the two photographs from other hosts, and does not shift while it loads and is scrolled ($width px)",
    async (viewport) => {
      const elsewhere = new Set<string>();
      page.on("request", (request) => {
        const { origin, host, pathname } = new URL(request.url());
        if (origin !== site.origin && !request.url().startsWith("data:")) {
          elsewhere.add(host + pathname);
        }
      });
      await page.setViewportSize(viewport);
      await onPhotos(showPhoto);
      await page.goto("/", { waitUntil: "networkidle" });
      await readToEnd();
      expect(await layoutShift()).toBeLessThan(SHIFT_BUDGET);
      expect([...elsewhere].map((address) => address.replace(/-.*/, ""))).toEqual([
        `${PHOTO_HOST}/photo`,
        `${PHOTO_HOST}/photo`,
      ]);
    },
  );
});

it.each([false, true])(
  "the landing page has at most 8,000 px on a phone (touch: %s)",
  async (hasTouch) => {
    page = await site.visit({ viewport: PHONE, hasTouch, isMobile: hasTouch });
    await onPhotos(showPhoto);
    await site.open("/", page);
    await page.evaluate(() => document.fonts.ready.then(() => {}));
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(8_000);
  },
);

/** The cumulative layout shift so far: the largest sum of shifts in a window of at most 5 s (web.dev/cls). */
function layoutShift(): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };
        new PerformanceObserver((list) => {
          let [largest, sum, first, last] = [0, 0, 0, 0];
          for (const { startTime, value, hadRecentInput } of list.getEntries() as Shift[]) {
            if (hadRecentInput) continue;
            if (startTime - last > 1_000 || startTime - first > 5_000) {
              [sum, first] = [0, startTime];
            }
            sum += value;
            last = startTime;
            largest = Math.max(largest, sum);
          }
          resolve(largest);
        }).observe({ type: "layout-shift", buffered: true });
        // the observer is not called if nothing has shifted
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(0)));
      }),
  );
}
