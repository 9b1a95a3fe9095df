import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { axeViolations } from "../../support/axe-violations";
import { launchChromium, NO_OTHER_HOSTS } from "../../support/browsers/chromium.mjs";
import { firefoxPath, launchFirefox, resizeFirefox } from "../../support/browsers/firefox.mjs";
import { EFFECT_TIMEOUT } from "../../support/effect-timeout.mjs";
import { geometryFaults } from "../../support/geometry";
import { hasJava, htmlValidate, nuChecker } from "../../support/html-checkers";
import { SCREEN_STATES, type ScreenState } from "../../support/screen-states.mjs";
import { Snapshots } from "../../support/snapshots";
import { HEIGHT, NARROW, type StateDocuments, StateVisits, WIDE } from "../../support/state-visit";
import { type StatesSite, startStatesSite } from "../../support/states-site";

// Everything that is checked of each state: its accessibility, its markup, its geometry, after a single visit.

const checkers = hasJava() ? [nuChecker, htmlValidate] : [htmlValidate];
console.log(`HTML is checked by ${checkers.map(({ title }) => title).join(" and ")}.`);

const DESKTOP = { width: WIDE, height: HEIGHT };
const PHONE = { width: NARROW, height: 740 };
/** A window of 1280 px zoomed to 200 and to 400 percent (WCAG 2.2, 1.4.10). */
const ZOOMED = [640, 320];

let site: StatesSite;
let snapshots: Snapshots;
let visits: StateVisits;
/** By the state's name. */
const visited = new Map<string, StateDocuments>();

beforeAll(async () => {
  site = await startStatesSite({ args: [NO_OTHER_HOSTS] });
  snapshots = new Snapshots(site.program.origin);
  await snapshots.start();
  visits = new StateVisits(site, snapshots);
});

afterAll(async () => {
  await snapshots?.stop();
  await site?.close();
});

const states = SCREEN_STATES.filter(({ again }) => !again);

const inWindows = states.map((state, index) => {
  const windows = [
    ...(state.only === "narrow" ? [] : [DESKTOP]),
    ...(state.only === "wide" ? [] : [PHONE]),
  ];
  return { name: state.name, state, viewport: inTurn(windows, index) };
});

/** The member whose turn it is, so that each occurs without every combination. */
function inTurn<Member>(all: readonly Member[], position: number): Member {
  return all[position % all.length] as Member;
}

// concurrently, since much of the time is spent waiting
describe.concurrent("each state", () => {
  it.each(inWindows)(
    "$name has no axe violation, a complete outline, and fits every window",
    async ({ state, viewport }) => {
      const { page, documents, errors } = await visits.open(state);
      visited.set(state.name, documents);
      try {
        await page.setViewportSize(viewport);
        await atRest(page, state);
        expect(await axeViolations(page), `at ${viewport.width} px`).toEqual([]);
        expect(await outlineFaults(page), `at ${viewport.width} px`).toEqual([]);
        for (const width of ZOOMED) {
          if (state.only === "wide") continue;
          await page.setViewportSize({ width, height: 800 });
          // lengths in vw change a moment after the window
          await vi.waitFor(
            async () => expect(await sidewaysScroll(page), `at ${width} px`).toBe(0),
            { timeout: EFFECT_TIMEOUT.timeout },
          );
        }
        // this includes violations of the Content-Security-Policy
        expect(errors).toEqual([]);
      } finally {
        await page.close();
      }
    },
  );
});

/**
 * Scrolls to the top, where the sticky header covers nothing, and hovers the toast so that it stays open.
 */
async function atRest(page: Page, { name }: ScreenState): Promise<void> {
  await page.evaluate(() => window.scrollTo(0, 0));
  if (name.startsWith("toast") || name === "auth-failed") {
    await page.locator(".toast-title").hover();
  }
}

/** Headings that break the outline: a single level 1, which is first, and no level skipped. */
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

/** By how many pixels the page is wider than its window. */
function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
}

describe("the markup", () => {
  it.each(checkers)(
    "has no fault, as sent by the server and in every state ($title)",
    async (checker) => {
      expect([...visited.keys()].sort()).toEqual(states.map(({ name }) => name).sort());
      const documents = [...visited.values()].map(({ state, sent, shown }) => [
        { title: state.name, html: shown },
        ...(sent ? [sent] : []),
      ]);
      expect(documents.filter(({ length }) => length > 1).length).toBeGreaterThan(30);
      // the first checker has seen both documents of each state
      const checked =
        checker === checkers[0] ? documents : documents.map((of, index) => [inTurn(of, index)]);
      const byTitle = checked.flat().map(({ title, html }) => [title, html] as const);
      expect(await checker.check(new Map(byTitle))).toEqual([]);
    },
  );

  it("has nothing after the html element on any page", () => {
    for (const { sent } of visited.values()) {
      if (sent) expect(sent.html.slice(-14), sent.title).toBe("</body></html>");
    }
  });

  it("uses typographic quotes and dashes in headings", () => {
    const headings = new Set([...visited.values()].flatMap(({ headings }) => headings));
    expect(headings.size).toBeGreaterThan(30);
    expect([...headings].filter((text) => /['"]|--/.test(text))).toEqual([]);
  });
});

/**
 * Window widths in CSS pixels, for the browser's font size at 16 px and at 32 px. Breakpoints are in rem, so
 * they are twice as far apart at 32. `all` are tried with web fonts at 16 px and with system fonts, whose lines
 * are longest, at 32 px; `some` the other way round. Firefox is tried at `some` only, since what it lays out
 * differently are fonts and form fields, not where the breakpoints are. Every state is tried at the narrowest and at
 * one other width, in turn, and in Firefox every second state, with its usual text size.
 */
const WIDTHS = {
  16: {
    all: [320, 360, 480, 640, 768, 1023, 1024, 1280, 1920],
    some: [320, 360, 768, 1024, 1280],
  },
  32: {
    all: [320, 360, 480, 640, 768, 1024, 1280, 1535, 1536, 1920, 2048],
    some: [320, 360, 640, 1280, 2048],
  },
} as const;
type TextSize = keyof typeof WIDTHS;

/** For one text size in one browser, in milliseconds; four run concurrently. */
const TIME_LIMIT = 400_000;

/** A window that shows snapshots in a frame, at any width. */
type Bench = {
  evaluate<Argument, Answer>(
    pageFunction: (argument: Argument) => Answer | Promise<Answer>,
    argument: Argument,
  ): Promise<Answer>;
  close(): Promise<unknown>;
};

const BROWSERS = {
  Chromium: async (textSize: TextSize): Promise<Bench> => {
    const browser = await launchChromium({
      args: [`--blink-settings=defaultFontSize=${textSize}`, NO_OTHER_HOSTS],
    });
    const page = await browser.newPage({ viewport: null, reducedMotion: "reduce" });
    await page.setViewportSize(WINDOW);
    await page.goto(snapshots.empty);
    return {
      evaluate: (pageFunction, argument) => page.evaluate(pageFunction as never, argument),
      close: () => browser.close(),
    };
  },
  Firefox: async (textSize: TextSize): Promise<Bench> => {
    const browser = await launchFirefox({
      preferences: {
        "font.size.variable.x-western": textSize,
        "ui.prefersReducedMotion": 1,
      },
    });
    const page = await browser.newPage();
    await resizeFirefox(page, WINDOW);
    await page.goto(snapshots.empty);
    return {
      evaluate: (pageFunction, argument) => page.evaluate(pageFunction as never, argument) as never,
      close: () => browser.close(),
    };
  },
};
const WINDOW = { width: 2080, height: HEIGHT + 20 };

/**
 * The widths at which a state exists and its snapshot is valid. `position` is the state's, by which it takes its turn.
 */
function widthsOf(
  { state, isPlacedByScript }: StateDocuments,
  position: number,
  textSize: TextSize,
  isFirefox: boolean,
) {
  const wide = (1024 / 16) * textSize;
  const exists = (width: number) =>
    (!state.only || (state.only === "wide") === width >= wide) &&
    (!isPlacedByScript || (width === WIDE && textSize === 16));
  const tried = (widths: readonly number[], turn: number) => {
    const [narrowest, ...wider] = widths.filter(exists);
    return narrowest === undefined
      ? []
      : [narrowest, ...(wider.length ? [inTurn(wider, turn)] : [])];
  };
  const some = tried(WIDTHS[textSize].some, position);
  // most of the landing page is the same for every visitor
  const all =
    isFirefox || state.name.startsWith("landing-") ? some : tried(WIDTHS[textSize].all, position);
  return textSize === 16
    ? { withWebFonts: all, withoutWebFonts: some }
    : { withWebFonts: some, withoutWebFonts: all };
}

describe.each(Object.keys(BROWSERS) as (keyof typeof BROWSERS)[])("the layout in %s", (name) => {
  const isMissing = name === "Firefox" && firefoxPath() === null;

  const textSizes: TextSize[] = name === "Firefox" ? [16] : [16, 32];
  const tried = name === "Firefox" ? everySecond(states) : states;

  it.skipIf(isMissing).concurrent.each(textSizes)(
    "nothing scrolls sideways, is covered or clipped with text of %i px",
    async (textSize) => {
      const bench = await BROWSERS[name](textSize);
      try {
        const faults: string[] = [];
        for (const [position, state] of tried.entries()) {
          const documents = visited.get(state.name);
          if (!documents) throw new Error(`${state.name} has not been visited.`);
          const widths = widthsOf(documents, position, textSize, name === "Firefox");
          if (widths.withWebFonts.length === 0) continue;
          const seen = await bench.evaluate(examineAtWidths, {
            url: documents.snapshot,
            widths,
            height: HEIGHT,
            inWindow: isAtTop(state),
            examination: geometryFaults.toString(),
          });
          expect(seen).toMatchObject({ textSize, facesBefore: 2, facesAfter: 0 });
          faults.push(...seen.faults.map((fault) => `${state.name}, ${fault}`));
        }
        expect(faults).toEqual([]);
      } finally {
        await bench.close();
      }
    },
    TIME_LIMIT,
  );
});

function everySecond<Member>(all: readonly Member[]): Member[] {
  return all.filter((_, index) => index % 2 === 0);
}

/** Whether everything specific to a state is in its page's first window. */
function isAtTop({ name }: ScreenState): boolean {
  return /^(menu|toast)-|^landing-section$/.test(name);
}

type Examination = {
  url: string;
  widths: { withWebFonts: number[]; withoutWebFonts: number[] };
  height: number;
  inWindow: boolean;
  /** The source of `geometryFaults`. */
  examination: string;
};

/** Runs in the page: examines a page in a frame at all widths, with its web fonts and then without. */
async function examineAtWidths({ url, widths, height, inWindow, examination }: Examination) {
  document.body.style.margin = "0";
  const frame =
    document.querySelector("iframe") ?? document.body.appendChild(document.createElement("iframe"));
  frame.style.cssText = `border: 0; width: ${widths.withWebFonts[0]}px; height: ${height}px`;
  await new Promise((done) => {
    frame.onload = done;
    frame.src = url;
  });
  const page = frame.contentDocument as Document;
  const view = frame.contentWindow as Window & typeof globalThis;
  const examine = view.eval(`(${examination})`);
  const webFaces = async () => {
    await page.fonts.ready;
    const loaded = [...page.fonts].filter(({ status }) => status === "loaded");
    return new Set(loaded.map(({ family }) => family).filter((name) => / Variable/.test(name)))
      .size;
  };
  const faults: string[] = [];
  const examineAll = (fonts: string, widths: number[]) => {
    for (const width of widths) {
      frame.style.width = `${width}px`;
      for (const fault of examine({ inWindow })) {
        faults.push(`${fonts} at ${width} px: ${fault}`);
      }
    }
  };

  const textSize = Number.parseFloat(view.getComputedStyle(page.documentElement).fontSize);
  for (const animation of page.getAnimations()) animation.finish();
  const facesBefore = await webFaces();
  examineAll("with web fonts", widths.withWebFonts);
  for (const sheet of page.styleSheets) {
    for (let index = sheet.cssRules.length - 1; index >= 0; index--) {
      const rule = sheet.cssRules[index];
      if (rule instanceof view.CSSFontFaceRule && rule.cssText.includes("url(")) {
        sheet.deleteRule(index);
      }
    }
  }
  const facesAfter = await webFaces();
  examineAll("without web fonts", widths.withoutWebFonts);
  return { faults, textSize, facesBefore, facesAfter };
}
