import type { Locator, Page } from "playwright";
import { expect } from "./browser-expect";
import { EFFECT_TIMEOUT } from "./effect-timeout.mjs";

/** More than the number of tab stops on any page of the site. */
const MAX_STOPS = 80;

/**
 * Presses Tab, or Shift+Tab, until the target has the focus. At each stop the focused element must have a
 * visible ring and be in view.
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
  throw new Error(`${key} never reached ${target}, only:\n${stops.join("\n")}`);
}

/** Checks that an element has the focus, with a ring, and is not covered. */
export async function expectFocusInSight(page: Page): Promise<string> {
  let stop = "";
  await expect(async () => {
    const focus = await page.evaluate(describeFocus);
    stop = focus.name;
    // with smooth scrolling it may take a moment to arrive
    expect(focus).toEqual({ name: focus.name, onBody: false, ring: true, inSight: true });
  }).toPass({ timeout: EFFECT_TIMEOUT.timeout, intervals: [20, 50, 100] });
  return stop;
}

/** Checks that the focus is not lost to the body: the next Tab must continue from the same place. */
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
