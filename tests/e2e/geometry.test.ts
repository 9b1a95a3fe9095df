import type { Browser, BrowserContext } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium, NO_OTHER_HOSTS } from "../support/browsers/chromium.mjs";
import { firefoxPath, launchFirefox, resizeFirefox } from "../support/browsers/firefox.mjs";
import { geometryFaults } from "../support/geometry";
import type { Program } from "../support/program";
import { SCREEN_STATES, type ScreenState } from "../support/screen-states.mjs";
import type { Visitors } from "../support/screen-visitors.mjs";
import { Snapshots } from "../support/snapshots";
import { type StatesSite, startStatesSite } from "../support/states-site";
import { inScope } from "../support/test-scope.mjs";

/**
 * Window widths in CSS pixels, for the browser's font size at 16 px and at 32 px. Breakpoints are in rem, so
 * they are twice as far apart at 32. `all` are tried with web fonts at 16 px and with system fonts, whose lines
 * are longest, at 32 px; `some` the other way round. Firefox is tried at `some` only, since what it lays out
 * differently are fonts and form fields, not where the breakpoints are. Short of a full run, `some` stand for
 * all, `fewest` for them, and Firefox keeps its usual text size.
 */
const WIDTHS = {
  16: {
    all: [320, 360, 480, 640, 768, 1023, 1024, 1280, 1920],
    some: [320, 360, 768, 1024, 1280],
    fewest: [320, 1280],
  },
  32: {
    all: [320, 360, 480, 640, 768, 1024, 1280, 1535, 1536, 1920, 2048],
    some: [320, 360, 640, 1280, 2048],
    fewest: [320, 1280, 2048],
  },
} as const;
type TextSize = keyof typeof WIDTHS;

const HEIGHT = 800;
/** For one text size in one browser, in milliseconds; four run concurrently. */
const TIME_LIMIT = 400_000;
/** The widths at which states are set up that exist from 1024 px on, or below. */
const [WIDE, NARROW] = [1280, 360];

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

/** A captured state; positions set by a script are valid at its own width only. */
type Capture = { state: ScreenState; url: string; isPlacedByScript: boolean };

let site: StatesSite;
let program: Program;
let browser: Browser;
let visitors: Visitors;
let snapshots: Snapshots;
let captures: Capture[];
const contexts = new Map<string, Promise<BrowserContext>>();

beforeAll(async () => {
  site = await startStatesSite({
    args: [NO_OTHER_HOSTS],
  });
  ({ program, browser, visitors } = site);
  snapshots = new Snapshots(program.origin);
  await snapshots.start();
  captures = [];
  const waiting = SCREEN_STATES.filter(({ again }) => !again).values();
  const work = async () => {
    for (const state of waiting) captures.push(await capture(state));
  };
  await Promise.all([work(), work(), work()]);
});

afterAll(async () => {
  await snapshots?.stop();
  await site?.close();
});

/** Sets up a state in Chromium and stores a snapshot. */
async function capture(state: ScreenState): Promise<Capture> {
  const { name, visitor = "anonymous", plain } = state;
  // without JavaScript the toast comes in a cookie, which must not be shared
  const key = plain ? name : visitor;
  const opened =
    contexts.get(key) ??
    browser.newContext({
      baseURL: program.origin,
      storageState: visitors[visitor].cookies,
      reducedMotion: "reduce",
    });
  contexts.set(key, opened);
  const page = await (await opened).newPage();
  await page.setViewportSize({ width: state.only === "narrow" ? NARROW : WIDE, height: HEIGHT });
  // the snapshot needs JavaScript; a page whose own scripts are blocked is the same as one without
  if (plain) await page.route("**/build/**/*.js", (route) => route.abort());
  await state.show(page, visitors);
  const isPlacedByScript = (await page.locator("[data-radix-popper-content-wrapper]").count()) > 0;
  const url = await snapshots.take(page, name);
  await page.close();
  return { state, url, isPlacedByScript };
}

/** The widths at which a state exists and its snapshot is valid. */
function widthsOf({ state, isPlacedByScript }: Capture, textSize: TextSize, isFirefox: boolean) {
  const wide = (1024 / 16) * textSize;
  const exists = (width: number) =>
    (!state.only || (state.only === "wide") === width >= wide) &&
    (!isPlacedByScript || (width === WIDE && textSize === 16));
  const { all: full, some: part, fewest } = WIDTHS[textSize];
  const some = inScope(part, fewest).filter(exists);
  // most of the landing page is the same for every visitor
  const all =
    isFirefox || state.name.startsWith("landing-") ? some : inScope(full, part).filter(exists);
  return textSize === 16
    ? { withWebFonts: all, withoutWebFonts: some }
    : { withWebFonts: some, withoutWebFonts: all };
}

describe.each(Object.keys(BROWSERS) as (keyof typeof BROWSERS)[])("in %s", (name) => {
  const isMissing = name === "Firefox" && firefoxPath() === null;

  const textSizes = inScope<TextSize>([16, 32], name === "Firefox" ? [16] : [16, 32]);

  it.skipIf(isMissing).concurrent.each(textSizes)(
    "nothing scrolls sideways, is covered or clipped with text of %i px",
    async (textSize) => {
      const bench = await BROWSERS[name](textSize);
      try {
        await findsEveryKindOfFault(bench);
        await keepsTitleOffTheBook(bench, textSize);
        const faults: string[] = [];
        for (const capture of captures) {
          const { state, url } = capture;
          const widths = widthsOf(capture, textSize, name === "Firefox");
          if (widths.withWebFonts.length === 0) continue;
          const seen = await bench.evaluate(examineAtWidths, {
            url,
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

/** Whether everything specific to a state is in its page's first window. */
function isAtTop({ name }: ScreenState): boolean {
  return /^(menu|toast)-|^landing-section$/.test(name);
}

/** Checks that every kind of fault is found in this browser; otherwise finding none would prove nothing. */
async function findsEveryKindOfFault(bench: Bench): Promise<void> {
  const { faults } = await bench.evaluate(examineAtWidths, {
    url: snapshots.add("faults", FAULTS),
    widths: { withWebFonts: [320], withoutWebFonts: [] },
    height: HEIGHT,
    inWindow: false,
    examination: geometryFaults.toString(),
  });
  expect(faults.map((fault) => fault.replace(/\d+( to \d+)? px$/, "…"))).toEqual(
    [
      "the page scrolls sideways: …",
      "<div#scroller> scrolls sideways",
      "“wide” in <p#wide> extends beyond the window: …",
      "“A label that has no room here” in <span#cut> extends beyond <span#cut>",
      "“Incomprehensible” in <button#narrow> extends beyond <button#narrow>",
      "“A long word” in <p#round> extends beyond the round <p#round>",
      "<input#placeholder> clips its placeholder",
      "“behind” in <p#behind> is covered by <div#front>",
      "“covered” in <button#covered> is covered by <div#lid>",
      "“below” in <p#below> is out of reach of scrolling",
      "<button#covered> “covered” is covered by <div#lid>",
    ].map((fault) => `with web fonts at 320 px: ${fault}`),
  );
}

async function keepsTitleOffTheBook(bench: Bench, textSize: TextSize): Promise<void> {
  const { faults, tried } = await bench.evaluate(examineTitle, {
    url: captures.find(({ state }) => state.name === "landing")?.url ?? "",
    widths: [
      ...inScope(WIDTHS[textSize].all, WIDTHS[textSize].some),
      ...(textSize === 16 ? [1100, 1180] : []),
    ],
    height: HEIGHT,
    faces: FACES,
  });
  expect(faults).toEqual([]);
  expect(tried).toBeGreaterThanOrEqual(5 * FACES.length);
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

/**
 * Styles of the title: each face of the font stack, Fraunces without its display cut as where `opsz` is not
 * applied, and with its first line spread to the 5.65 em of DejaVu Serif, the widest possible fallback.
 */
const FACES = [
  { family: '"Fraunces Variable"' },
  { family: '"Fraunces Variable"', settings: '"opsz" 9' },
  { family: '"Fraunces Variable"', firstLine: 5.65 },
  { family: '"Fraunces Georgia", "Fraunces Times", serif' },
  { family: '"Fraunces Noto", serif' },
  { family: '"Fraunces DejaVu", serif' },
  { family: '"DejaVu Serif", serif' },
  { family: "serif" },
] satisfies { family: string; settings?: string; firstLine?: number }[];

/** Runs in the page: reports where the landing page's title is less than 16 px from the book. */
async function examineTitle({
  url,
  widths,
  height,
  faces,
}: Pick<Examination, "url" | "height"> & { widths: number[]; faces: typeof FACES }) {
  document.body.style.margin = "0";
  const frame =
    document.querySelector("iframe") ?? document.body.appendChild(document.createElement("iframe"));
  frame.style.cssText = `border: 0; width: ${widths[0]}px; height: ${height}px`;
  await new Promise((done) => {
    frame.onload = done;
    frame.src = url;
  });
  const page = frame.contentDocument as Document;
  await page.fonts.ready;
  const title = page.querySelector<HTMLElement>(".hero-title") as HTMLElement;
  const firstLine = title.firstElementChild as HTMLElement;
  const book = page.querySelector(".book-cover") as Element;
  const linesOf = ({ firstChild: words }: Element) => {
    const range = page.createRange();
    range.selectNodeContents(words as Node);
    return [...range.getClientRects()].filter(({ width }) => width > 1);
  };
  const faults: string[] = [];
  let tried = 0;
  for (const width of widths) {
    frame.style.width = `${width}px`;
    for (const { family, settings = "", firstLine: ems } of faces) {
      title.style.fontFamily = family;
      title.style.fontVariationSettings = settings;
      title.style.letterSpacing = "";
      if (ems) {
        const size = Number.parseFloat(getComputedStyle(title).fontSize);
        title.style.whiteSpace = "nowrap";
        const [line] = linesOf(firstLine);
        const before = Number.parseFloat(getComputedStyle(title).letterSpacing);
        const missing = ems * size - (line?.width ?? 0);
        title.style.whiteSpace = "";
        title.style.letterSpacing = `${before + missing / (firstLine.textContent ?? "").length}px`;
      }
      const cover = book.getBoundingClientRect();
      for (const text of title.children) {
        for (const line of linesOf(text)) {
          const sharesLine = line.bottom > cover.top && line.top < cover.bottom;
          const end = sharesLine ? cover.left - 16 : width;
          if (line.right > end) {
            faults.push(
              `${width} px, ${family} ${settings}${ems ?? ""}: ${Math.round(line.right - end)} px too far`,
            );
          }
        }
      }
      tried += 1;
    }
  }
  return { faults, tried };
}

/** A page with one of each fault. */
const FAULTS = `<!doctype html><html lang="en"><title>Faults</title><style>
  body { margin: 0; font: 16px/1.5 sans-serif }
  p { margin: 8px }
</style>
<p>All is well here, and <a href="#top">here</a>. <button>Fine</button>
<div id="scroller" style="overflow-x: auto"><div style="width: 500px; height: 20px"></div></div>
<p id="wide" style="margin-left: 310px; white-space: nowrap">wide
<p><span id="cut" style="display: inline-block; width: 90px; overflow: hidden; white-space: nowrap">A label that has no room here</span>
<p><button id="narrow" style="width: 60px; overflow: visible">Incomprehensible</button>
<p id="round" style="width: 80px; height: 80px; background: gold; border-radius: 50%">A long word
<p><input id="placeholder" style="width: 60px" placeholder="somebody@example.test">
<div style="position: relative"><p id="behind">behind<div id="front" style="position: absolute; inset: 0; background: gold"></div></div>
<div style="position: relative"><button id="covered">covered</button><div id="lid" style="position: absolute; inset: 0"></div></div>
<p id="below" style="position: absolute; top: -90px">below
</html>`;
