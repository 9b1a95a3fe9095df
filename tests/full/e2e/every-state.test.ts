import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolations } from "../../support/axe-violations";
import { brokenTableWords } from "../../support/broken-words";
import { launchChromium, NO_OTHER_HOSTS } from "../../support/browsers/chromium.mjs";
import { geometryFaults } from "../../support/geometry";
import { hasJava, htmlValidate, nuChecker } from "../../support/html-checkers";
import { watchForErrors } from "../../support/pages";
import { SCREEN_STATES, type ScreenState } from "../../support/screen-states.mjs";
import { HEIGHT, type StateDocuments, StateVisits } from "../../support/state-visit";
import { type StatesSite, startStatesSite } from "../../support/states-site";

// All checks of a state share a single visit: its accessibility, its layout and its markup.

const checker = hasJava() ? nuChecker : htmlValidate;
console.log(`HTML is checked by ${checker.title}.`);

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

/** The slowest of axe's rules. */
const SLOW_RULE = "color-contrast";

/** Width in rem below which the header's links are in a menu. */
const WIDE_REM = 64;
/** Window widths in CSS pixels; each state is tested at one of them, in rotation. */
const WIDTHS = [320, 360, 480, 768, 1023, 1024, 1280, 1920];
/**
 * A font size that some readers choose for their browser, in pixels. Each state is tested with it in the narrowest
 * window. That is harder than ordinary text there, a window of 1280 px zoomed to 400 percent (WCAG 2.2, 1.4.10).
 */
const LARGE = 32;

let site: StatesSite;
let visits: StateVisits;
/** A browser with large text, in the system's wider typefaces. */
let largeBrowser: Browser;
let largeText: BrowserContext;
/** By the state's name. */
const visited = new Map<string, StateDocuments>();

beforeAll(async () => {
  [site, largeBrowser] = await Promise.all([
    startStatesSite({ args: [NO_OTHER_HOSTS] }),
    launchChromium({ args: [`--blink-settings=defaultFontSize=${LARGE}`, NO_OTHER_HOSTS] }),
  ]);
  visits = new StateVisits(site);
  largeText = await largeBrowser.newContext({ reducedMotion: "reduce" });
  await largeText.route("**/*.woff2", (route) => route.abort());
});

afterAll(async () => {
  await largeBrowser?.close();
  await site?.close();
});

const states = SCREEN_STATES.filter(({ again }) => !again);

const inWindows = states.map((state, position) => {
  const widths = WIDTHS.filter(
    (width) => !state.only || (state.only === "wide") === width >= WIDE_REM * 16,
  );
  return { name: state.name, state, width: widths[position % widths.length] as number };
});

// concurrently, since much of the time is spent waiting
describe.concurrent("each state", () => {
  it.each(inWindows)(
    "$name has no axe violation and a complete outline, and covers, clips or overflows nothing ($width px)",
    async ({ state, width }) => {
      const { page, documents, errors } = await visits.open(state, width);
      visited.set(state.name, documents);
      try {
        await atRest(page, state);
        const isNew = isNewPage(state, documents);
        expect(await axeViolations(page, { except: isNew ? [] : [SLOW_RULE] })).toEqual([]);
        expect(await outlineFaults(page)).toEqual([]);
        expect(await layoutFaults(page, state)).toEqual([]);
        // a snapshot is valid at its own width only if a script has placed something
        if (!documents.isPlacedByScript && isNew)
          expect(await faultsInLargeText(documents)).toEqual([]);
        // includes violations of the Content-Security-Policy
        expect(errors).toEqual([]);
      } finally {
        await page.close();
      }
    },
  );
});

/**
 * Scrolls to the top, where the sticky header covers nothing, and hovers the toast to keep it open.
 */
async function atRest(page: Page, { name }: ScreenState): Promise<void> {
  await page.evaluate(() => window.scrollTo(0, 0));
  if (name.startsWith("toast") || name === "auth-failed") {
    await page.locator(".toast-title").hover();
  }
}

/** Returns headings that break the outline: a single level 1, which is first, and no level skipped. */
function outlineFaults(page: Page): Promise<string[]> {
  return page.locator("h1, h2, h3, h4, h5, h6").evaluateAll((all) => {
    const headings = all.filter((heading) => heading.checkVisibility());
    const level = (heading?: Element) => Number(heading?.tagName.slice(1) ?? 0);
    return headings
      .filter((heading, index) => {
        const before = level(headings[index - 1]);
        return level(heading) > before + 1 || (level(heading) === 1) !== (index === 0);
      })
      .map(({ outerHTML }) => outerHTML);
  });
}

/** Finishes animations that end by themselves, such as a menu that opens; in a tab that is not drawn they never would. */
function finishAnimations(): void {
  for (const animation of document.getAnimations()) {
    const end = Number(animation.effect?.getComputedTiming().endTime);
    if (animation.timeline instanceof DocumentTimeline && Number.isFinite(end)) animation.finish();
  }
}

const headingsSeen = new Set<string | undefined>();

/** Whether no state before had this page's heading, or the state has colors of its own. */
function isNewPage({ name }: ScreenState, { headings: [heading] }: StateDocuments): boolean {
  const isNew = !headingsSeen.has(heading);
  headingsSeen.add(heading);
  return isNew || /^menu-|^toast-|-failed$|-(night|sepia)$/.test(name);
}

/** Returns a page's layout faults. */
async function layoutFaults(page: Page, state: ScreenState): Promise<string[]> {
  await page.evaluate(() => document.fonts.ready.then(() => {}));
  await page.evaluate(finishAnimations);
  return page.evaluate(geometryFaults, { inWindow: isAtTop(state) });
}

async function faultsInLargeText({ state, snapshot }: StateDocuments): Promise<string[]> {
  const page = await largeText.newPage();
  try {
    const address = `${site.program.origin}/a-snapshot`;
    await page.route(address, (route) =>
      route.fulfill({ contentType: "text/html; charset=utf-8", body: snapshot }),
    );
    const width = state.only === "wide" ? WIDE_REM * LARGE : 320;
    await page.setViewportSize({ width, height: HEIGHT });
    await page.goto(address);
    return await layoutFaults(page, state);
  } finally {
    await page.close();
  }
}

/** Whether everything specific to a state is in its page's first window. */
function isAtTop({ name }: ScreenState): boolean {
  return /^(menu|toast)-|^landing-section$/.test(name);
}

describe("the markup", () => {
  it("has no fault, as sent by the server and in every state", async () => {
    expect([...visited.keys()].sort()).toEqual(states.map(({ name }) => name).sort());
    const documents = [...visited.values()].flatMap(({ state, sent, shown }) => [
      [state.name, shown] as const,
      ...(sent ? [[sent.title, sent.html] as const] : []),
    ]);
    expect(documents.length).toBeGreaterThan(states.length + 30);
    expect(await checker.check(new Map(documents))).toEqual([]);
  });

  it("uses typographic quotes and dashes in headings", () => {
    const headings = new Set([...visited.values()].flatMap(({ headings }) => headings));
    expect(headings.size).toBeGreaterThan(30);
    expect([...headings].filter((text) => /['"]|--/.test(text))).toEqual([]);
  });
});

describe("with a reader's preference or device", () => {
  let context: BrowserContext;
  let errors: string[];
  afterEach(async () => {
    await context.close();
    expect(errors).toEqual([]);
  });

  /** Sets up a state, with reduced motion. */
  async function openState(name: string, options: BrowserContextOptions): Promise<Page> {
    const state = SCREEN_STATES.find((state) => state.name === name);
    if (!state) throw new Error(`No state '${name}'.`);
    context = await site.browser.newContext({
      baseURL: site.program.origin,
      storageState: site.visitors[state.visitor ?? "anonymous"].cookies,
      reducedMotion: "reduce",
      ...options,
    });
    const page = await context.newPage();
    errors = watchForErrors(page);
    await state.show(page, site.visitors);
    return page;
  }

  it("a table in an issue breaks no short word on a phone", async () => {
    const page = await openState("newsletter-issue", { viewport: PHONE });
    expect(await page.evaluate(brokenTableWords, 7)).toEqual([]);
  });

  // the landing page is below the open menu
  it.each(["auth", "premium", "menu-mobile-member"])(
    "%s has touch targets of at least 44 px",
    async (name) => {
      const page = await openState(name, { viewport: PHONE, hasTouch: true, isMobile: true });
      const small = await page
        .locator("a, button, summary, input:not([type=hidden], [tabindex='-1'])")
        .evaluateAll((targets) =>
          targets
            .filter((target) => target.checkVisibility() && !target.matches(".skip-link"))
            .map((target) => ({ target, box: target.getBoundingClientRect() }))
            // a label is as wide as its field, and each field has its own line
            .filter(({ box }) => box.height < 43.5 || box.width < 31)
            .map(({ target, box }) => `${target.outerHTML} ${box.width}x${box.height}`),
        );
      expect(small).toEqual([]);
    },
  );

  it.each(["landing-busy", "toast-notice"])(
    "nothing moves on %s with reduced motion",
    async (name) => {
      const page = await openState(name, { viewport: DESKTOP });
      const moving = () =>
        page.evaluate(() =>
          document
            .getAnimations()
            .filter(({ playState }) => playState === "running")
            .map((animation) => (animation as CSSAnimation).animationName),
        );
      await expect.poll(moving).toEqual([]);
    },
  );

  it("the golden path is complete, and a link to a section jumps, with reduced motion", async () => {
    const page = await openState("landing", { viewport: DESKTOP });
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
    // the event comes with the frame after the jump
    const places = () => page.evaluate(() => (window as never as { places: number[] }).places);
    await expect.poll(places).not.toEqual([]);
    const [first, ...further] = await places();
    expect(first).toBeGreaterThan(1_000);
    expect(further.filter((place) => place !== first)).toEqual([]);
  });

  it.each([PHONE, DESKTOP])(
    "the golden path between the reviews has no step ($width px)",
    async (viewport) => {
      const page = await openState("landing", { viewport });
      const pieces = await page
        .locator("#reviews .path-piece > path:visible")
        .evaluateAll((paths) =>
          (paths as SVGPathElement[]).map((path) => {
            const length = path.getTotalLength();
            const at = (distance: number) => {
              const point = path.getPointAtLength(distance);
              const { x, y } = point.matrixTransform(path.getScreenCTM() as DOMMatrix);
              return { x, y };
            };
            return { start: at(0), next: at(0.5), last: at(length - 0.5), end: at(length) };
          }),
        );
      expect(pieces.length).toBe(6);
      for (const [index, { start, next, last, end }] of pieces.entries()) {
        const before = pieces[index - 1]?.end ?? start;
        expect(Math.hypot(start.x - before.x, start.y - before.y)).toBeLessThan(0.5);
        // pieces are rounded to whole pixels, which only a vertical line hides
        expect(Math.abs(next.x - start.x)).toBeLessThan(0.2);
        expect(Math.abs(end.x - last.x)).toBeLessThan(0.2);
      }
    },
  );

  it.each([768, 1280, 2560])("the sun is in the members' picture (%i px)", async (width) => {
    const page = await openState("premium", { viewport: { width, height: 1000 } });
    const scene = await page.locator(".premium-scene").boundingBox();
    const sun = await page.locator(".premium-scene circle").boundingBox();
    if (!scene || !sun) throw new Error("There is no picture.");
    expect(sun.y).toBeGreaterThan(scene.y);
    expect(sun.y + sun.height).toBeLessThan(scene.y + scene.height);
  });

  // the landing page is below the open menu
  it.each(["auth", "menu-account"])(
    "every control of %s keeps its edges in forced colors, as do the selected tab and the focus",
    async (name) => {
      const page = await openState(name, { viewport: DESKTOP, forcedColors: "active" });
      expect(await edgelessControls(page)).toEqual([]);
      if (name === "auth") await expectTabAndFocusSeen(page);
    },
  );
});

/** Returns the classes of controls without a visible border. */
function edgelessControls(page: Page): Promise<string[]> {
  return page.locator(".button, .field-input, .toast, .menu, .avatar").evaluateAll((controls) =>
    controls
      .filter((control) => control.checkVisibility())
      .filter((control) => {
        const { borderTopWidth, borderTopColor } = getComputedStyle(control);
        const canvas = getComputedStyle(document.body).backgroundColor;
        return Number.parseFloat(borderTopWidth) < 1 || borderTopColor === canvas;
      })
      .map((control) => control.className),
  );
}

async function expectTabAndFocusSeen(page: Page): Promise<void> {
  const borders = await page
    .getByRole("tab")
    .evaluateAll((tabs) => tabs.map((tab) => getComputedStyle(tab).borderBottomColor));
  expect(new Set(borders).size).toBe(2);
  await page.keyboard.press("Tab");
  const ring = await page.locator(":focus").evaluate((focused) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(focused);
    return { outlineStyle, isThick: Number.parseFloat(outlineWidth) >= 2 };
  });
  expect(ring).toEqual({ outlineStyle: "solid", isThick: true });
}
