import { type BrowserWindow, WINDOW_SIZE, type WindowOptions } from "./browser-window";
import { launchFirefox } from "./firefox.mjs";

/** A new Firefox with one window. `reducedMotion` sets the system preference for reduced motion. */
export async function openFirefoxWindow({
  javaScript,
  size = WINDOW_SIZE,
  reducedMotion = false,
}: WindowOptions & { reducedMotion?: boolean }): Promise<BrowserWindow> {
  const browser = await launchFirefox({
    javaScript,
    preferences: reducedMotion ? { "ui.prefersReducedMotion": 1 } : {},
  });
  const page = await browser.newPage();
  await page.setViewport(size);
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(`uncaught: ${String(error)}`));
  return {
    errors,
    goto: async (url) => void (await page.goto(url)),
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
    close: () => browser.close(),
  };
}
