import sharp from "sharp";
import { expect, it } from "vitest";
import { siteForThisFile } from "../../support/e2e-site";

const site = siteForThisFile();

/** Strokes along a vertical line through the middle of an "e". */
const STROKES = 3;

/** Anything darker is ink, on a scale from 0 to 255, for dark letters on light. */
const INK = 205;

type Box = { x: number; y: number; width: number; height: number };

// FreeType's hinting, on Linux, drops strokes thinner than half a pixel: an "e" becomes a "c"
it.each([390, 1440])(
  "the title's letters keep their thin strokes at one screen pixel per CSS pixel (%i px wide)",
  async (width) => {
    const page = await site.visit({ viewport: { width, height: 900 }, reducedMotion: "reduce" });
    await site.open("/", page);
    await page.evaluate(() => document.fonts.ready.then(() => {}));
    const boxes = await page.evaluate(findLetters, "e");
    expect(boxes).toHaveLength(2);
    const { data, info } = await sharp(await page.screenshot())
      .greyscale()
      .normalise()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const isInk = (x: number, y: number) => (data[y * info.width + x] ?? 255) < INK;
    for (const box of boxes) {
      const rows = range(box.y, box.height);
      const columns = range(box.x, box.width).filter((x) => rows.some((y) => isInk(x, y)));
      const middle = Math.round(((columns[0] ?? 0) + (columns.at(-1) ?? 0)) / 2);
      const strokes = rows.filter((y) => isInk(middle, y) && !isInk(middle, y - 1));
      expect(strokes.length).toBeGreaterThanOrEqual(STROKES);
    }
  },
);

function range(start: number, length: number): number[] {
  return Array.from({ length: Math.ceil(length) }, (_, at) => Math.floor(start) + at);
}

/** Runs in the page: returns the boxes of this letter in the title, relative to the window. */
function findLetters(wanted: string): Box[] {
  const boxes: Box[] = [];
  const title = document.querySelector(".hero-title") as Element;
  const texts = document.createTreeWalker(title, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    for (const [at, letter] of [...(text.textContent ?? "")].entries()) {
      if (letter !== wanted) continue;
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      const { x, y, width, height } = range.getBoundingClientRect();
      boxes.push({ x, y, width, height });
    }
  }
  return boxes;
}
