import type { Browser } from "playwright";
import { watchForErrors } from "../pages";
import { type BrowserWindow, WINDOW_SIZE, type WindowOptions } from "./browser-window";

/** A window of a browser that Playwright drives: Chromium, or its own WebKit. Closing it leaves the browser open. */
export async function openPlaywrightWindow(
  browser: Browser,
  { javaScript, size = WINDOW_SIZE, reducedMotion = false }: WindowOptions,
): Promise<BrowserWindow> {
  const context = await browser.newContext({
    javaScriptEnabled: javaScript,
    viewport: size,
    reducedMotion: reducedMotion ? "reduce" : "no-preference",
  });
  const page = await context.newPage();
  return {
    errors: watchForErrors(page),
    goto: async (url) => void (await page.goto(url)),
    url: async () => page.url(),
    // Playwright's own type of what it passes on is narrower than JSON's
    evaluate: (pageFunction, argument) => page.evaluate(pageFunction as never, argument),
    clickAt: (x, y) => page.mouse.click(x, y),
    type: (text) => page.keyboard.type(text),
    wheel: async (distance) => {
      await page.mouse.move(size.width / 2, size.height / 2);
      await page.mouse.wheel(0, distance);
    },
    close: () => context.close(),
  };
}
