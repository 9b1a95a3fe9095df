import { type BrowserWindow, WINDOW_SIZE, type WindowOptions } from "./browser-window";
import { launchFirefox } from "./firefox.mjs";

/** A Firefox of its own with one window. `stillness` asks for no motion, as a setting of the system does. */
export async function openFirefoxWindow({
  javaScript,
  size = WINDOW_SIZE,
  stillness = false,
}: WindowOptions & { stillness?: boolean }): Promise<BrowserWindow> {
  const browser = await launchFirefox({
    javaScript,
    preferences: stillness ? { "ui.prefersReducedMotion": 1 } : {},
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
    evaluate: (look, argument) => page.evaluate(look as never, argument),
    // without JavaScript Firefox crashes when asked to click an element instead of a point
    clickAt: (x, y) => page.mouse.click(x, y),
    type: (text) => page.keyboard.type(text),
    wheel: async (distance) => {
      await page.mouse.move(size.width / 2, size.height / 2);
      await page.mouse.wheel({ deltaY: distance });
    },
    close: () => browser.close(),
  };
}
