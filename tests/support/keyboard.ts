import type { Locator, Page } from "playwright";
import { expect } from "playwright/test";

/** More than the number of tab stops on any page of the site. */
const MAX_STOPS = 80;

/**
 * Presses Tab, or Shift+Tab, until the focus is on the target. At each stop the focus must be on
 * something, marked by a ring, and in sight.
 */
export async function tabTo(
  page: Page,
  target: Locator,
  key: "Tab" | "Shift+Tab" = "Tab",
): Promise<void> {
  // keys pressed while a page is still loading are lost
  await page.waitForLoadState();
  const stops: string[] = [];
  while (stops.length < MAX_STOPS) {
    await page.keyboard.press(key);
    stops.push(await expectFocusInSight(page));
    // in one evaluation, since the focused element may be replaced by another
    if ((await target.and(page.locator(":focus")).count()) > 0) return;
  }
  throw new Error(`${key} never came to ${target}, only to:\n${stops.join("\n")}`);
}

/** Checks what a sighted person needs of the focus: that there is one, with a ring, and not covered. */
export async function expectFocusInSight(page: Page): Promise<string> {
  let stop = "";
  await expect(async () => {
    const focus = await page.evaluate(describeFocus);
    stop = focus.name;
    // scrolled to smoothly, it may take a moment until it is there
    expect(focus).toEqual({ name: focus.name, onBody: false, ring: true, inSight: true });
  }).toPass({ timeout: 5_000, intervals: [20, 50, 100] });
  return stop;
}

/** Checks that the focus is on something in the page, where the next Tab goes on from. */
export async function expectFocusKept(page: Page): Promise<void> {
  await expect
    .poll(async () => (await page.evaluate(describeFocus)).onBody, { message: "focus on <body>" })
    .toBe(false);
}

function describeFocus() {
  const focused = document.activeElement ?? document.body;
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  const { left, right, top, bottom } = focused.getBoundingClientRect();
  const isOnTop = (x: number, y: number) => {
    const shown = document.elementFromPoint(x, y);
    return shown !== null && (focused.contains(shown) || shown.contains(focused));
  };
  const inset = 2;
  const points = [
    [(left + right) / 2, (top + bottom) / 2],
    [left + inset, top + inset],
    [right - inset, bottom - inset],
  ] as const;
  return {
    name: `<${focused.localName}> ${focused.textContent?.trim().slice(0, 40)}`,
    onBody: focused === document.body,
    ring: outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0,
    inSight: right > left && points.some(([x, y]) => isOnTop(x, y)),
  };
}
