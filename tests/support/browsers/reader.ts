import { expect } from "vitest";
import { escapeRegExp } from "~/server/escape-reg-exp";
import type { BrowserWindow } from "./browser-window";

/**
 * Uses a site as a person does, in any browser: finds links, buttons and fields by name, clicks on their positions,
 * and waits for the result.
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

  /** Clicks the first link, button, tab or menu item with this name, within the element of a selector. */
  async click(name: string, within = "body"): Promise<void> {
    const { x, y } = await this.#find({ kind: "control", name, within });
    await this.#window.clickAt(x, y);
  }

  /** Replaces the value of the field with this label. */
  async fill(label: string, value: string, within = "body"): Promise<void> {
    const field = { kind: "field", name: label, within } as const;
    const { x, y } = await this.#find(field);
    await this.#window.clickAt(x, y);
    await this.#window.evaluate(selectContent, null);
    await this.#window.type(value);
    expect((await this.#find(field)).value).toBe(value);
  }

  /** Waits until a visible element of a selector has this text, apart from white space, or matches. */
  async sees(selector: string, text: string | RegExp): Promise<void> {
    const { poll } = expect;
    const wanted = expect.stringMatching(text instanceof RegExp ? text : exactly(text));
    await poll(() => this.#window.evaluate(visibleTexts, selector)).toEqual(
      expect.arrayContaining([wanted]),
    );
  }

  /** Waits for a toast with these texts. */
  async seesToast(title: string, description?: string): Promise<void> {
    await this.sees(".toast .toast-title", title);
    if (description !== undefined) await this.sees(".toast .toast-description", description);
  }

  /** Waits until the window is at this path of the site, or at a URL that matches. */
  async arrivesAt(address: string | RegExp): Promise<void> {
    const wanted =
      address instanceof RegExp ? address : exactly(new URL(address, this.#origin).href);
    await expect.poll(() => this.#window.url()).toMatch(wanted);
  }

  /** Waits until the control with this name is disabled. */
  async seesDisabled(name: string): Promise<void> {
    const wanted = { kind: "control", name, within: "main" } as const;
    await expect
      .poll(() => this.#window.evaluate(locate, wanted))
      .toMatchObject({ disabled: true });
  }

  /** Goes back and forward in the history, and expects to return to the same URL. */
  async goesBackAndForward(): Promise<void> {
    const here = await this.#window.url();
    await this.#leave(() => history.back());
    await expect.poll(() => this.#window.url()).not.toBe(here);
    await this.#leave(() => history.forward());
    await this.arrivesAt(here);
  }

  async goesBackTo(path: string): Promise<void> {
    await this.#leave(() => history.back());
    await this.arrivesAt(path);
  }

  async goesForwardTo(path: string): Promise<void> {
    await this.#leave(() => history.forward());
    await this.arrivesAt(path);
  }

  /** Runs a step that leaves the page, which may be gone before the browser answers. */
  async #leave(step: () => void): Promise<void> {
    await this.#window.evaluate(step, null).catch(() => {});
  }

  /** Waits until the page's scroll position has been this one for half a second, in CSS pixels. */
  async restsAt(position: number): Promise<void> {
    const positions: number[] = [];
    await expect
      .poll(async () => {
        const now = await this.#scrollPosition();
        // browsers round positions
        positions.push(Math.abs(now - position) <= 1 ? position : now);
        return positions.slice(-10);
      })
      .toEqual(Array(10).fill(position));
  }

  /** The page's scroll position once it has not changed for half a second, in CSS pixels. */
  async restingPosition(): Promise<number> {
    const positions: number[] = [];
    await expect
      .poll(async () => {
        positions.push(await this.#scrollPosition());
        return positions.length >= 10 && new Set(positions.slice(-10)).size === 1;
      })
      .toBe(true);
    return positions.at(-1) as number;
  }

  /** Waits until the page has stopped scrolling with the top of an element just under the sticky header. */
  async seesUnderHeader(id: string): Promise<void> {
    let before: number | null = null;
    await expect
      .poll(
        async () => {
          const [last, now] = [before, await this.#window.evaluate(distanceFromHeader, id)];
          before = now;
          if (now !== last) return "moving";
          return now >= 0 && now <= 25 ? "under the header" : `${now} px below the header`;
        },
        { message: `position of #${id}` },
      )
      .toBe("under the header");
  }

  /** A field's value. */
  async valueOf(label: string, within = "body"): Promise<string | null> {
    return (await this.#find({ kind: "field", name: label, within })).value;
  }

  #scrollPosition(): Promise<number> {
    return this.#window.evaluate(() => Math.round(window.scrollY), null);
  }

  /** Waits until an element exists, no longer moves, and is not covered. */
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
        { message: `${wanted.kind} ‘${wanted.name}’ in ${wanted.within}` },
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
  return new RegExp(`^${escapeRegExp(text)}$`);
}

/** Runs in the page: scrolls to the first visible element that matches, and returns its position. */
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
  // a link that wraps over two lines may have nothing at the middle of its box
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

/** Runs in the page: the distance in pixels from the sticky header to an element's top. */
function distanceFromHeader(id: string): number {
  const header = document.querySelector("header")?.getBoundingClientRect().bottom ?? 0;
  return Math.round((document.getElementById(id)?.getBoundingClientRect().top ?? -1e6) - header);
}

/** Runs in the page: selects the focused field's value, for typing to replace it. */
function selectContent(_: null): void {
  if (document.activeElement instanceof HTMLInputElement) document.activeElement.select();
}

/** Runs in the page: the texts of a selector's visible elements. */
function visibleTexts(selector: string): string[] {
  return [...document.querySelectorAll(selector)]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }))
    .map((element) => (element.textContent ?? "").replace(/\s+/g, " ").trim());
}
