import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright";
import { expect } from "vitest";

/** Polling interval for a scrolling page, in milliseconds: a little over two frames. */
const POLL_MS = 35;

/** The page's scroll position once it no longer changes, in pixels. */
export async function restingPosition(page: Page): Promise<number> {
  const position = await page.evaluate(() => {
    if (document.documentElement.dataset.hydrated === undefined) return null;
    return new Promise<number>((done) => {
      let last = window.scrollY;
      let still = 0;
      const check = () => {
        still = window.scrollY === last ? still + 1 : 0;
        last = window.scrollY;
        if (still >= 5) done(last);
        else requestAnimationFrame(check);
      };
      requestAnimationFrame(check);
    });
  });
  if (position !== null) return position;
  // no animation frame callback runs in a page without JavaScript
  let last = Number.NaN;
  for (let still = 0; still < 2; ) {
    await setTimeout(POLL_MS);
    const position = await page.evaluate(() => window.scrollY);
    still = position === last ? still + 1 : 0;
    last = position;
  }
  return last;
}

/** Scrolls by mouse wheel to about this position, or as far as the page scrolls. */
export async function wheelTo(page: Page, position: number): Promise<void> {
  for (let attempt = 0; attempt < 8; attempt++) {
    const from = await restingPosition(page);
    const end = await page.evaluate(
      () => document.documentElement.scrollHeight - window.innerHeight,
    );
    const distance = Math.min(Math.max(position, 0), end) - from;
    if (Math.abs(distance) < 20) return;
    await page.mouse.wheel(0, distance);
    // on a busy machine a browser sometimes drops a wheel event, so it is repeated
    await expect
      .poll(() => page.evaluate(() => window.scrollY), { interval: POLL_MS, timeout: 3_000 })
      .not.toBe(from)
      .catch(() => {});
  }
  throw new Error(`The wheel did not scroll ${page.url()} to ${position} px.`);
}

/** Waits until the page has stopped scrolling within 2 px of this position. */
export async function expectPosition(page: Page, position: number): Promise<void> {
  const distance = async () => Math.abs((await restingPosition(page)) - position);
  await expect.poll(distance, { message: `distance from ${position} px` }).toBeLessThanOrEqual(2);
}

/** Waits until the page has stopped scrolling with a section's top just under the sticky header. */
export async function expectUnderHeader(page: Page, id: string): Promise<void> {
  const readOffset = async () => {
    await restingPosition(page);
    return page.evaluate((id) => {
      const bottom = document.querySelector("header")?.getBoundingClientRect().bottom ?? 0;
      const top = document.getElementById(id)?.getBoundingClientRect().top ?? Number.NaN;
      const below = Math.round(top - bottom);
      return below >= 0 && below <= 24 ? "just under it" : `${below} px below it`;
    }, id);
  };
  await expect.poll(readOffset, { message: `position of #${id}` }).toBe("just under it");
}
