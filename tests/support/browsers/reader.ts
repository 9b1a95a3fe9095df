import { expect } from "vitest";
import type { BrowserWindow } from "./browser-window";

/** Timeout and polling interval for what a page is expected to show, in milliseconds. */
const TIMEOUT = { timeout: 20_000, interval: 50 };

/**
 * Somebody who uses a site by what they see, in any browser: finds links, buttons and fields by their names,
 * clicks them where they are, and waits for what should be there then.
 */
export class Reader {
  readonly #window: BrowserWindow;
  readonly #origin: string;

  constructor(window: BrowserWindow, origin: string) {
    this.#window = window;
    this.#origin = origin;
  }

  /** Opens a path of the site. */
  async visit(path: string): Promise<void> {
    await this.#window.goto(new URL(path, this.#origin).href);
  }

  /** Clicks the first link, button, tab or menu item of this name, in the part of the page a selector names. */
  async click(name: string, within = "body"): Promise<void> {
    const { x, y } = await this.#find({ kind: "control", name, within });
    await this.#window.clickAt(x, y);
  }

  /** Writes into the field with this label, over what stands in it. */
  async fill(label: string, value: string, within = "body"): Promise<void> {
    const field = { kind: "field", name: label, within } as const;
    const { x, y } = await this.#find(field);
    await this.#window.clickAt(x, y);
    await this.#window.evaluate(selectContent, null);
    await this.#window.type(value);
    expect((await this.#find(field)).value).toBe(value);
  }

  /** Waits until a selector's first visible element has this text, white space aside, or contains it. */
  async sees(selector: string, text: string | RegExp): Promise<void> {
    const { poll } = expect;
    const wanted = expect.stringMatching(text instanceof RegExp ? text : exactly(text));
    await poll(() => this.#window.evaluate(visibleTexts, selector), TIMEOUT).toEqual(
      expect.arrayContaining([wanted]),
    );
  }

  /** Waits for a toast with these words. */
  async seesToast(title: string, description?: string): Promise<void> {
    await this.sees(".toast .toast-title", title);
    if (description !== undefined) await this.sees(".toast .toast-description", description);
  }

  /** Waits until the window is at this path of the site, or at an address that matches. */
  async arrivesAt(address: string | RegExp): Promise<void> {
    const wanted =
      address instanceof RegExp ? address : exactly(new URL(address, this.#origin).href);
    await expect.poll(() => this.#window.url(), TIMEOUT).toMatch(wanted);
  }

  /** Waits until the control of this name cannot be used. */
  async seesDisabled(name: string): Promise<void> {
    const wanted = { kind: "control", name, within: "main" } as const;
    await expect
      .poll(() => this.#window.evaluate(locate, wanted), TIMEOUT)
      .toMatchObject({ disabled: true });
  }

  /** Goes back and forward in the history, and expects the position to be restored. */
  async goesBackAndForward(): Promise<void> {
    const here = await this.#window.url();
    await this.#window.evaluate(() => history.back(), null);
    await expect.poll(() => this.#window.url(), TIMEOUT).not.toBe(here);
    await this.#window.evaluate(() => history.forward(), null);
    await this.arrivesAt(here);
  }

  /** Goes back in the history to this path. */
  async goesBackTo(path: string): Promise<void> {
    await this.#window.evaluate(() => history.back(), null);
    await this.arrivesAt(path);
  }

  /** The page's position once it has not moved for half a second, in CSS pixels from its top. */
  async restingPosition(): Promise<number> {
    const looks: number[] = [];
    await expect
      .poll(async () => {
        looks.push(Math.round(await this.#window.evaluate(() => window.scrollY, null)));
        return looks.length >= 10 && new Set(looks.slice(-10)).size === 1;
      }, TIMEOUT)
      .toBe(true);
    return looks.at(-1) as number;
  }

  /** Waits until the page has come to rest with the top of an element just under the sticky header. */
  async seesUnderHeader(id: string): Promise<void> {
    let before: number | null = null;
    await expect
      .poll(
        async () => {
          const [last, now] = [before, await this.#window.evaluate(distanceFromHeader, id)];
          before = now;
          if (now !== last) return "moving";
          return now >= 0 && now <= 24 ? "under the header" : `${now} px below the header`;
        },
        { ...TIMEOUT, message: `where #${id} is` },
      )
      .toBe("under the header");
  }

  /** What a field holds. */
  async valueOf(label: string, within = "body"): Promise<string | null> {
    return (await this.#find({ kind: "field", name: label, within })).value;
  }

  /** Waits until an element is there, lies still, and nothing covers it. */
  async #find(wanted: Wanted): Promise<Located> {
    let before: Located | null = null;
    let found: Located | null = null;
    await expect
      .poll(
        async () => {
          before = found;
          found = await this.#window.evaluate(locate, wanted);
          if (!found) return "not there";
          if (found.covered) return "covered";
          return before?.x === found.x && before.y === found.y ? "ready" : "moving";
        },
        { ...TIMEOUT, message: `${wanted.kind} ‘${wanted.name}’ in ${wanted.within}` },
      )
      .toBe("ready");
    return found as unknown as Located;
  }
}

type Wanted = { kind: "control" | "field"; name: string; within: string };

type Located = {
  /** Its middle, in CSS pixels of the window. */
  x: number;
  y: number;
  covered: boolean;
  disabled: boolean;
  value: string | null;
};

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`);
}

/** Runs in the page: scrolls to the first visible element that fits, and says where it is now. */
function locate({ kind, name, within }: Wanted): Located | null {
  const flat = (text: string | null | undefined) => (text ?? "").replace(/\s+/g, " ").trim();
  const namesOf = (element: Element): string[] => {
    const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
    return [
      element.getAttribute("aria-label"),
      ...labels.map((label) => label.textContent),
      kind === "control" ? element.textContent : null,
    ].map(flat);
  };
  const selector =
    kind === "field"
      ? "input:not([type=hidden])"
      : "a[href], button, summary, [role=tab], [role=menuitem]";
  const element = [...document.querySelectorAll(within)]
    .flatMap((part) => [...part.querySelectorAll(selector)])
    .find(
      (element) =>
        namesOf(element).includes(name) &&
        element.checkVisibility({ visibilityProperty: true }) &&
        element.getClientRects().length > 0,
    );
  if (!element) return null;
  const isInSight = ({ top, bottom }: DOMRect) => top >= 0 && bottom <= window.innerHeight;
  if (!isInSight(element.getBoundingClientRect())) {
    element.scrollIntoView({ block: "center", behavior: "instant" });
  }
  // a link over two lines has nothing in the middle of both
  const rect = element.getClientRects()[0] ?? element.getBoundingClientRect();
  const x = Math.round(rect.x + rect.width / 2);
  const y = Math.round(rect.y + rect.height / 2);
  const top = document.elementFromPoint(x, y);
  return {
    x,
    y,
    covered: !top || !(element.contains(top) || top.contains(element)),
    disabled: element.matches(":disabled"),
    value: element instanceof HTMLInputElement ? element.value : null,
  };
}

/** Runs in the page: by how many pixels an element begins below the sticky header. */
function distanceFromHeader(id: string): number {
  const header = document.querySelector("header")?.getBoundingClientRect().bottom ?? 0;
  return Math.round((document.getElementById(id)?.getBoundingClientRect().top ?? -1e6) - header);
}

/** Runs in the page: selects what stands in the focused field, so that typing replaces it. */
function selectContent(_: null): void {
  if (document.activeElement instanceof HTMLInputElement) document.activeElement.select();
}

/** Runs in the page: the texts of what can be seen of a selector. */
function visibleTexts(selector: string): string[] {
  return [...document.querySelectorAll(selector)]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }))
    .map((element) => (element.textContent ?? "").replace(/\s+/g, " ").trim());
}
