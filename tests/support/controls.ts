import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright";
import { expect } from "vitest";

/** Polling interval for a scrolling page, in milliseconds: a little over two frames. */
const POLL_MS = 35;

export const poll = <T>(read: () => T, message?: string) => expect.poll(read, { message });

/**
 * Something clickable in a page, as first read. It is found again by its place in the document, since a click
 * may change its name.
 */
type Control = {
  /** The part of the page and the menu that contain it, and its index there. */
  place: string;
  kind: "link" | "menu" | "button";
  name: string;
};

/** A control's current state. */
type State = Control & {
  x: number;
  y: number;
  /** Another element covers the point where it would be clicked. */
  covered: boolean;
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
      const kind = isOpener ? "menu" : element.matches("a") ? "link" : "button";
      const name = element.getAttribute("aria-label") ?? element.textContent?.trim() ?? "";
      const box = element.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const open =
        element.closest("details")?.open === true ||
        element.getAttribute("aria-expanded") === "true";
      return {
        place: `${part} ${number}`,
        kind,
        name,
        x,
        y,
        covered: !element.contains(document.elementFromPoint(x, y)),
        open,
      };
    });
  });
}

/** A control's current state. Throws if it is gone. */
async function controlNow(page: Page, control: Control): Promise<State> {
  const all = await readControls(page);
  const found = all.find(({ place }) => place === control.place);
  if (!found) throw new Error(`There is no ${describeControl(control)} on ${page.url()}.`);
  return found;
}

/** A control's description for a failure message. */
function describeControl({ kind, name, place }: Control): string {
  return `${kind} "${name}" (${place})`;
}

/** Waits until a menu's opener reports it as open, or as closed. */
export async function expectOpen(page: Page, opener: Control, open: boolean): Promise<void> {
  await expect.poll(async () => (await controlNow(page, opener)).open).toBe(open);
}

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
    // a browser on a busy machine drops a turn of the wheel now and then, which is turned again
    await expect
      .poll(() => page.evaluate(() => window.scrollY), { interval: POLL_MS, timeout: 3_000 })
      .not.toBe(from)
      .catch(() => {});
  }
  throw new Error(`The wheel did not scroll ${page.url()} to ${position} px.`);
}

/** Clicks a control in the middle with the mouse, once it no longer moves and nothing covers it. */
export async function click(page: Page, control: Control): Promise<void> {
  let { x, y } = await controlNow(page, control);
  const readState = async () => {
    const [before, now] = [{ x, y }, await controlNow(page, control)];
    ({ x, y } = now);
    if (now.covered) return "covered";
    return Math.abs(before.x - x) + Math.abs(before.y - y) < 1 ? "free" : "moving";
  };
  await expect.poll(readState, { interval: POLL_MS }).toBe("free");
  await page.mouse.click(x, y);
}

/** The first control of the page that matches. Throws if there is none. */
export async function findOne(
  page: Page,
  matches: (control: Control) => boolean,
): Promise<Control> {
  const found = (await readControls(page)).find(matches);
  if (!found) throw new Error(`No such control on ${page.url()}.`);
  return found;
}

/** Waits until the page has stopped scrolling within 2 px of this position. */
export async function expectPosition(page: Page, position: number): Promise<void> {
  const distance = async () => Math.abs((await restingPosition(page)) - position);
  await poll(distance, `distance from ${position} px`).toBeLessThanOrEqual(2);
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
  await poll(readOffset, `position of #${id} relative to the header`).toBe("just under it");
}
