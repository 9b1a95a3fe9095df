import sharp from "sharp";

/** Where a letter is in a screenshot, in pixels. */
export type LetterBox = {
  letter: string;
  x: number;
  y: number;
  width: number;
  height: number;
};

/** How many strokes the middle of each letter crosses from top to bottom. */
const STROKES: Record<string, number> = { e: 3, A: 2, E: 3, F: 2, H: 1 };

/** What is darker than this is ink, on a scale from 0 to 255, for black letters on white. */
const INK = 205;

/** Letters of which every one has a stroke that is thin in a display face. */
export const THIN_LETTERS = Object.keys(STROKES);

/** Those of the letters, dark on light in a screenshot, that lack one of their horizontal strokes. */
export async function lettersWithoutBars(
  screenshot: Uint8Array,
  boxes: readonly LetterBox[],
): Promise<LetterBox[]> {
  const { data, info } = await sharp(screenshot)
    .greyscale()
    .normalise()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const isInk = (x: number, y: number) => (data[y * info.width + x] ?? 255) < INK;
  return boxes.filter((box) => {
    const columns = range(box.x, box.width).filter((x) =>
      range(box.y, box.height).some((y) => isInk(x, y)),
    );
    const [first = 0] = columns;
    const middle = Math.round((first + (columns.at(-1) ?? 0)) / 2);
    const strokes = range(box.y, box.height).filter(
      (y) => isInk(middle, y) && !isInk(middle, y - 1),
    );
    return strokes.length < (STROKES[box.letter] ?? 0);
  });
}

function range(start: number, length: number): number[] {
  return Array.from({ length: Math.ceil(length) }, (_, at) => Math.floor(start) + at);
}

/** Covers the page with letters of the display face, black on white, a line for each size; returns where they are. */
export function showLetters({
  letters,
  sizes,
  weight,
}: {
  letters: string[];
  sizes: number[];
  weight: number;
}): LetterBox[] {
  document.documentElement.style.overflow = "hidden";
  const sheet = document.createElement("div");
  sheet.style.cssText =
    "position:fixed;inset:0;z-index:2147483647;background:#fff;color:#000;font-family:var(--font-display)";
  sheet.style.fontWeight = String(weight);
  document.body.append(sheet);
  let y = 0;
  return sizes.flatMap((size) => {
    const height = Math.ceil(size * 1.3);
    const width = Math.ceil(size * 1.2) + 2;
    const line = letters.map((letter, at) => {
      const cell = document.createElement("span");
      cell.textContent = letter;
      cell.style.cssText = `position:absolute;text-align:center;left:${at * width}px;top:${y}px;width:${width}px;font-size:${size}px;line-height:${height}px`;
      sheet.append(cell);
      return { letter, x: at * width, y, width, height };
    });
    y += height;
    return line;
  });
}

/** Where each of these letters is in the text of an element, relative to the window. */
export function findLetters({
  selector,
  letters,
}: {
  selector: string;
  letters: string[];
}): LetterBox[] {
  const element = document.querySelector(selector);
  const boxes: LetterBox[] = [];
  const texts = element ? document.createTreeWalker(element, NodeFilter.SHOW_TEXT) : null;
  while (texts?.nextNode()) {
    const text = texts.currentNode;
    for (const [at, letter] of [...(text.textContent ?? "")].entries()) {
      if (!letters.includes(letter)) continue;
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      const { x, y, width, height } = range.getBoundingClientRect();
      boxes.push({ letter, x, y, width, height });
    }
  }
  return boxes;
}
