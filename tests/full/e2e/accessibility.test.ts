import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { brokenTableWords } from "../../support/broken-words";
import { watchForErrors } from "../../support/pages";
import type { Program } from "../../support/program";
import { SCREEN_STATES, type ScreenState } from "../../support/screen-states.mjs";
import type { Visitors } from "../../support/screen-visitors.mjs";
import { type StatesSite, startStatesSite } from "../../support/states-site";

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

let site: StatesSite;
let program: Program;
let browser: Browser;
let visitors: Visitors;
let context: BrowserContext;
let errors: string[];

beforeAll(async () => {
  site = await startStatesSite();
  ({ program, browser, visitors } = site);
});

afterEach(async () => {
  await context.close();
  // this includes violations of the Content-Security-Policy
  expect(errors).toEqual([]);
});

afterAll(async () => {
  await site?.close();
});

/** Sets up a state, with reduced motion. */
async function openState(state: ScreenState, options: BrowserContextOptions): Promise<Page> {
  context = await browser.newContext({
    baseURL: program.origin,
    storageState: visitors[state.visitor ?? "anonymous"].cookies,
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  errors = watchForErrors(page);
  await state.show(page, visitors);
  return page;
}

function named(name: string): ScreenState {
  const state = SCREEN_STATES.find((state) => state.name === name);
  if (!state) throw new Error(`No state '${name}'.`);
  return state;
}

it("breaks no short word of a letter's table on a phone", async () => {
  const page = await openState(named("newsletter-issue"), { viewport: PHONE });
  expect(await page.evaluate(brokenTableWords, 7)).toEqual([]);
});

describe("the keyboard", () => {
  it.each([
    { name: "landing-reader", viewport: DESKTOP },
    { name: "landing", viewport: PHONE },
    { name: "auth", viewport: PHONE },
    { name: "premium", viewport: DESKTOP },
  ])(
    "shows the focus at every tab stop of $name ($viewport.width px)",
    async ({ name, viewport }) => {
      const page = await openState(named(name), { viewport });
      const stops: string[] = [];
      const hidden: string[] = [];
      for (;;) {
        await page.keyboard.press("Tab");
        const stop = await page.evaluate(describeFocus);
        if (!stop || stops.includes(stop.id)) break;
        stops.push(stop.id);
        if (!stop.ringed || !stop.uncovered) hidden.push(`${stop.id} ${JSON.stringify(stop)}`);
      }
      expect(hidden).toEqual([]);
      expect(stops.length).toBeGreaterThan(8);
    },
  );
});

/** Runs in the page: what has the focus, whether it has a ring, and whether it is visible. */
function describeFocus() {
  const focused = document.activeElement;
  if (!focused || focused === document.body) return null;
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  const { x, y, width, height } = focused.getBoundingClientRect();
  const top = document.elementFromPoint(x + width / 2, y + height / 2);
  const position = [...document.querySelectorAll("*")].indexOf(focused);
  return {
    id: `${position} ${focused.tagName} ${focused.textContent?.trim().slice(0, 30)}`,
    ringed: outlineStyle === "solid" && Number.parseFloat(outlineWidth) >= 2,
    uncovered: top !== null && (focused.contains(top) || top.contains(focused)),
  };
}

describe("touch", () => {
  it.each(["landing", "auth", "premium", "menu-mobile-member", "toast-notice"])(
    "has targets of at least 44 px on %s",
    async (name) => {
      const page = await openState(named(name), {
        viewport: PHONE,
        hasTouch: true,
        isMobile: true,
      });
      const small = await page
        .locator("a, button, summary, input:not([type=hidden], [tabindex='-1'])")
        .evaluateAll((targets) =>
          targets
            .filter((target) => target.checkVisibility() && !target.matches(".skip-link"))
            .map((target) => ({ target, box: target.getBoundingClientRect() }))
            // a label is as wide as its field, and a field has a line of its own
            .filter(({ box }) => box.height < 43.5 || box.width < 31)
            .map(({ target, box }) => `${target.outerHTML} ${box.width}x${box.height}`),
        );
      expect(small).toEqual([]);
    },
  );
});

describe("reduced motion", () => {
  it.each(["landing", "landing-busy", "toast-notice", "menu-mobile-anonymous"])(
    "leaves nothing moving on %s",
    async (name) => {
      const viewport = named(name).only === "narrow" ? PHONE : DESKTOP;
      const page = await openState(named(name), { viewport });
      await expect
        .poll(() =>
          page.evaluate(() =>
            document
              .getAnimations()
              .filter(({ playState }) => playState === "running")
              .map((animation) => (animation as CSSAnimation).animationName),
          ),
        )
        .toEqual([]);
    },
  );

  it("shows the complete golden path, and jumps to sections without animation", async () => {
    const page = await openState(named("landing"), { viewport: DESKTOP });
    const clips = await page
      .locator(".path-piece")
      .evaluateAll((pieces) => pieces.map((piece) => getComputedStyle(piece).clipPath));
    expect(new Set(clips)).toEqual(new Set(["none"]));
    // smooth scrolling would take many steps
    await page.evaluate(() => {
      const places: number[] = [];
      addEventListener("scroll", () => places.push(Math.round(scrollY)));
      Object.assign(window, { places });
    });
    await page.getByRole("banner").getByRole("link", { name: "Reviews" }).click();
    const reviews = page.locator("#reviews");
    await expect
      .poll(() => reviews.evaluate((section) => Math.abs(section.getBoundingClientRect().top)))
      .toBeLessThan(200);
    // the event comes with the frame after the jump
    const places = () => page.evaluate(() => (window as never as { places: number[] }).places);
    await expect.poll(places).not.toEqual([]);
    const [first, ...further] = await places();
    expect(first).toBeGreaterThan(1_000);
    expect(further.filter((place) => place !== first)).toEqual([]);
  });
});

describe("forced colours", () => {
  it.each(["landing", "auth", "premium", "menu-account", "toast-failure"])(
    "keep the edges of every control on %s",
    async (name) => {
      const page = await openState(named(name), { viewport: DESKTOP, forcedColors: "active" });
      const edgeless = await page
        .locator(".button, .field-input, .toast, .menu, .avatar")
        .evaluateAll((controls) =>
          controls
            .filter((control) => control.checkVisibility())
            .filter((control) => {
              const { borderTopWidth, borderTopColor } = getComputedStyle(control);
              const canvas = getComputedStyle(document.body).backgroundColor;
              return Number.parseFloat(borderTopWidth) < 1 || borderTopColor === canvas;
            })
            .map((control) => control.className),
        );
      expect(edgeless).toEqual([]);
    },
  );

  it("still show which tab is selected and where the focus is", async () => {
    const page = await openState(named("auth"), { viewport: DESKTOP, forcedColors: "active" });
    const borders = await page
      .getByRole("tab")
      .evaluateAll((tabs) => tabs.map((tab) => getComputedStyle(tab).borderBottomColor));
    expect(new Set(borders).size).toBe(2);
    await page.keyboard.press("Tab");
    expect((await page.evaluate(describeFocus))?.ringed).toBe(true);
  });
});
