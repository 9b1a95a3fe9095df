/**
 * `npm run screens`: writes a screenshot of every page in every state at three widths into `screens/`. Names
 * after the command select some of them: `npm run screens -- auth toast`.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium, launchChromium } from "../support/browsers/chromium.mjs";
import { startBuiltDemo } from "../support/built-demo.mjs";
import { SCREEN_STATES } from "../support/screen-states.mjs";
import { prepareVisitors } from "../support/screen-visitors.mjs";

/** Width and height of the windows, in CSS pixels. */
const WINDOWS = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
];

const folder = fileURLToPath(new URL("../../screens", import.meta.url));
const wanted = process.argv.slice(2);
const states = SCREEN_STATES.filter(
  ({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)),
);

process.env.CHROMIUM_PATH = await findChromium();
const site = await startBuiltDemo({
  NEWSLETTER_DOUBLE_OPT_IN: "true",
  RATE_LIMIT_FACTOR: "1000",
  AUTHOR_EMAIL: "author@example.test",
});
const browser = await launchChromium();
try {
  const visitors = await prepareVisitors(browser, site);
  if (wanted.length === 0) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const pictures = WINDOWS.flatMap((window) => {
    const here = window.width < 1024 ? "narrow" : "wide";
    return states
      .filter(({ only }) => !only || only === here)
      .map((state) => () => draw(state, window, visitors));
  });
  console.log(`Drawing ${pictures.length} pictures into ${folder} …`);
  const waiting = pictures.values();
  const work = async () => {
    for (const picture of waiting) await picture();
  };
  await Promise.all([work(), work(), work()]);
} finally {
  await browser.close();
  await site.stop();
}

/**
 * @param {import("../support/screen-states.mjs").ScreenState} state
 * @param {{ width: number, height: number }} window
 * @param {import("../support/screen-visitors.mjs").Visitors} visitors
 */
async function draw(state, window, visitors) {
  const context = await browser.newContext({
    baseURL: site.origin,
    viewport: window,
    javaScriptEnabled: !state.plain,
    storageState: visitors[state.visitor ?? "anonymous"].cookies,
    // a whole page is captured without scrolling, so scroll-driven animations must be off
    reducedMotion: state.window ? "no-preference" : "reduce",
  });
  const page = await context.newPage();
  try {
    await state.show(page, visitors);
    if (!state.window) await loadLazyPictures(page);
    await page.screenshot({
      path: join(folder, `${state.name}-${window.width}.png`),
      fullPage: !state.window,
      // animations are captured at their end, but without JavaScript a toast's animation ends with it gone
      animations: state.plain ? "allow" : "disabled",
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : error;
    console.error(`${state.name} at ${window.width} px: ${reason}`);
    process.exitCode = 1;
  }
  await context.close();
}

/** @param {import("playwright").Page} page */
async function loadLazyPictures(page) {
  await page.evaluate(() => {
    for (const image of document.images) image.loading = "eager";
  });
  await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
}
