import type { HTTPRequest } from "puppeteer-core";
import { type BrowserWindow, WINDOW_SIZE, type WindowOptions } from "./browser-window";
import { launchFirefox, resizeFirefox } from "./firefox.mjs";

type FirefoxWindow = BrowserWindow & {
  /** Holds the scripts of pages opened from now on until the returned function is called. */
  holdScripts(): Promise<() => Promise<void>>;
};

/** A new Firefox with one window. */
export async function openFirefoxWindow({
  javaScript,
  size = WINDOW_SIZE,
  reducedMotion = false,
}: WindowOptions): Promise<FirefoxWindow> {
  const browser = await launchFirefox({
    javaScript,
    preferences: reducedMotion ? { "ui.prefersReducedMotion": 1 } : {},
  });
  const page = await browser.newPage();
  await resizeFirefox(page, size);
  const errors: string[] = [];
  let holdsScripts = false;
  page.on("pageerror", (error) => errors.push(`uncaught: ${String(error)}`));
  return {
    errors,
    goto: async (url) => {
      await page.goto(url, { waitUntil: holdsScripts ? "domcontentloaded" : "load" });
    },
    // puppeteer's cached URL is outdated after a history navigation
    url: () => page.evaluate(() => location.href),
    evaluate: (pageFunction, argument) => page.evaluate(pageFunction as never, argument),
    // without JavaScript Firefox crashes on a click at an element instead of a point
    clickAt: (x, y) => page.mouse.click(x, y),
    type: (text) => page.keyboard.type(text),
    wheel: async (distance) => {
      await page.mouse.move(size.width / 2, size.height / 2);
      await page.mouse.wheel({ deltaY: distance });
    },
    holdScripts: async () => {
      holdsScripts = true;
      const held: HTTPRequest[] = [];
      page.on("request", (request) => {
        if (new URL(request.url()).pathname.endsWith(".js")) held.push(request);
        else void request.continue();
      });
      await page.setRequestInterception(true);
      return async () => {
        holdsScripts = false;
        page.removeAllListeners("request");
        page.on("request", (request) => void request.continue());
        await Promise.all(held.map((request) => request.continue()));
      };
    },
    close: () => browser.close(),
  };
}
