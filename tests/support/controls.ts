import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright";
import { expect } from "vitest";

/** Polling interval for a moving page, in milliseconds: a little over two frames. */
const LOOK = 35;

/** Timeout for expected effects, in milliseconds. */
const TIMEOUT = 10_000;

/** `expect.poll` with a timeout generous enough for a busy machine. */
export const poll = <T>(look: () => T, message?: string) =>
  expect.poll(look, { timeout: TIMEOUT, message });

/**
 * Something in a page that can be clicked, as it was found there. It is found again by its position, since a
 * click may change its name.
 */
export type Control = {
  /** The part of the page and the menu that contain it, and its index there. */
  place: string;
  /** A menu item is a `submit` too: its effect is shown elsewhere. */
  kind: "link" | "tab" | "menu" | "submit" | "button";
  name: string;
  /** A link's target. */
  href: string;
  disabled: boolean;
  /** The place of the control that opens the menu it is in. */
  opener?: string;
};

/** A control's current state. */
type State = Control & {
  x: number;
  y: number;
  /** Stays where it is when the page is scrolled. */
  sticky: boolean;
  /** Out of sight until it has the focus. */
  hidden: boolean;
  /** The window's height. */
  height: number;
  /** Another element covers the point where it would be clicked. */
  covered: boolean;
  /** The state that shows it has reacted: open, pressed, selected, checked, its name. */
  answer: string;
  selected: boolean;
  open: boolean;
};

/** Every visible control, in document order, except those of toasts, which come and go. */
function readControls(page: Page): Promise<State[]> {
  return page.evaluate(() => {
    const counts = new Map<string, number>();
    const all = [
      ...document.querySelectorAll<HTMLElement>(
        "a, button, summary, input:is([type=submit], [type=button]), [role=button], [role=menuitem]",
      ),
    ].filter((element) => element.checkVisibility() && !element.closest(".toast-viewport"));
    return all.map((element) => {
      const landmark = element.closest("header, main, footer")?.localName ?? "page";
      const isOpener = element.matches("summary, [aria-haspopup]");
      const inMenu = !isOpener && element.closest("details, [role=menu]") !== null;
      const part = inMenu ? `${landmark} menu` : landmark;
      const number = counts.get(part) ?? 0;
      counts.set(part, number + 1);
      const kind = isOpener
        ? "menu"
        : element.matches("[role=tab]")
          ? "tab"
          : element.matches("a")
            ? "link"
            : element.matches("form [type=submit], [role=menuitem]")
              ? "submit"
              : "button";
      const name = element.getAttribute("aria-label") ?? element.textContent?.trim() ?? "";
      const box = element.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const hidden = getComputedStyle(element).clipPath !== "none";
      const open =
        element.closest("details")?.open === true ||
        element.getAttribute("aria-expanded") === "true";
      const selected = element.getAttribute("aria-selected") === "true";
      const pressed = element.getAttribute("aria-pressed");
      return {
        place: `${part} ${number}`,
        kind,
        name,
        href: element instanceof HTMLAnchorElement ? element.href : "",
        disabled: element.matches(":disabled, [aria-disabled=true]"),
        x,
        y,
        sticky: landmark === "header",
        hidden,
        height: window.innerHeight,
        covered: !hidden && !element.contains(document.elementFromPoint(x, y)),
        answer: [name, pressed, selected, isOpener && open].join(" "),
        selected,
        open,
      };
    });
  });
}

/** A control's current state. Fails if there is none in its place. */
export async function controlNow(page: Page, control: Control): Promise<State> {
  const all = await readControls(page);
  const found = all.find(({ place }) => place === control.place);
  if (!found) throw new Error(`There is no ${describeControl(control)} on ${page.url()}.`);
  return found;
}

/** The words that name a control in a failure. */
export function describeControl({ kind, name, place }: Control): string {
  return `${kind} "${name}" (${place})`;
}

/**
 * Every control of the page, also those in its menus: each menu is opened once and closed again. The page
 * must be hydrated, or JavaScript switched off.
 */
export async function findControls(page: Page): Promise<Control[]> {
  const shown: Control[] = await readControls(page);
  const found = [...shown];
  for (const opener of shown.filter(({ kind }) => kind === "menu")) {
    await click(page, opener);
    await expectOpen(page, opener, true);
    // what it opens may replace what was there before hydration
    const isInside = ({ place }: Control) => !shown.some((control) => control.place === place);
    const inside = (await readControls(page)).filter(isInside);
    expect(inside.length, `controls of ${describeControl(opener)}`).toBeGreaterThan(0);
    found.push(...inside.map((control) => ({ ...control, opener: opener.place })));
    await click(page, opener);
    await expectOpen(page, opener, false);
  }
  return found;
}

/** Waits until the control that opens a menu reports it as open, or as closed. */
export async function expectOpen(page: Page, opener: Control, open: boolean): Promise<void> {
  await expect
    .poll(async () => (await controlNow(page, opener)).open, { timeout: TIMEOUT })
    .toBe(open);
}

/** The page's position once it has come to rest, in pixels. */
export async function restingPosition(page: Page): Promise<number> {
  const position = await page.evaluate(() => {
    if (document.documentElement.dataset.hydrated === undefined) return null;
    return new Promise<number>((done) => {
      let last = window.scrollY;
      let still = 0;
      const look = () => {
        still = window.scrollY === last ? still + 1 : 0;
        last = window.scrollY;
        if (still >= 5) done(last);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
  });
  if (position !== null) return position;
  // no callback runs in a page without scripts
  let last = Number.NaN;
  for (let still = 0; still < 2; ) {
    await setTimeout(LOOK);
    const position = await page.evaluate(() => window.scrollY);
    still = position === last ? still + 1 : 0;
    last = position;
  }
  return last;
}

/** Scrolls by mouse wheel until the page is about where it should be, or cannot scroll further. */
export async function wheelTo(page: Page, position: number): Promise<void> {
  for (let turn = 0; turn < 4; turn++) {
    const from = await restingPosition(page);
    const end = await page.evaluate(
      () => document.documentElement.scrollHeight - window.innerHeight,
    );
    const distance = Math.min(Math.max(position, 0), end) - from;
    if (Math.abs(distance) < 20) return;
    await page.mouse.wheel(0, distance);
    await expect
      .poll(() => page.evaluate(() => window.scrollY), { interval: LOOK, timeout: TIMEOUT })
      .not.toBe(from);
  }
  throw new Error(`The wheel did not bring ${page.url()} to ${position} px.`);
}

/**
 * Scrolls by mouse wheel, if necessary, until a control can be clicked. Gives the position of the page, at
 * rest.
 */
export async function bringIntoView(page: Page, control: Control): Promise<number> {
  const position = await restingPosition(page);
  const { y, sticky, hidden, height } = await controlNow(page, control);
  if (sticky || hidden || (y > 120 && y < height - 40)) return position;
  await wheelTo(page, position + y - height / 2);
  return restingPosition(page);
}

/**
 * Clicks a control in the middle with the mouse, once it holds still and nothing covers it; the skip link,
 * which shows only with the focus, by Enter.
 */
export async function click(page: Page, control: Control): Promise<void> {
  let { x, y, hidden } = await controlNow(page, control);
  const look = async () => {
    const [before, now] = [{ x, y }, await controlNow(page, control)];
    ({ x, y, hidden } = now);
    if (now.covered) return "covered";
    return Math.abs(before.x - x) + Math.abs(before.y - y) < 1 ? "free" : "moving";
  };
  await expect.poll(look, { timeout: TIMEOUT, interval: LOOK }).toBe("free");
  if (!hidden) return page.mouse.click(x, y);
  await page.evaluate(() => {
    document.querySelector<HTMLElement>(".skip-link")?.focus({ preventScroll: true });
  });
  await page.keyboard.press("Enter");
}

/** The first control of the page for which `isIt` holds. Fails if there is none. */
export async function findOne(page: Page, isIt: (control: Control) => boolean): Promise<Control> {
  const found = (await readControls(page)).find(isIt);
  if (!found) throw new Error(`It is not on ${page.url()}.`);
  return found;
}

/** Waits until the page rests at this position, in pixels, or next to it. */
export async function expectPosition(page: Page, position: number): Promise<void> {
  const distance = async () => Math.abs((await restingPosition(page)) - position);
  await poll(distance, `distance from ${position} px`).toBeLessThanOrEqual(2);
}

/** Waits until the page rests with a section's top just under the sticky header. */
export async function expectUnderHeader(page: Page, id: string): Promise<void> {
  const look = async () => {
    await restingPosition(page);
    return page.evaluate((id) => {
      const bottom = document.querySelector("header")?.getBoundingClientRect().bottom ?? 0;
      const top = document.getElementById(id)?.getBoundingClientRect().top ?? Number.NaN;
      const below = Math.round(top - bottom);
      return below >= 0 && below <= 24 ? "just under it" : `${below} px below it`;
    }, id);
  };
  await poll(look, `where #${id} is from the header`).toBe("just under it");
}
