import { describe, expect, it } from "vitest";
import { randomNumbers } from "../../../../tests/support/random-numbers";
import { listFolder } from "../importer/edition-folder.server";
import { readSource } from "../importer/read-source.server";
import { referencesOf, renderDocument } from "../importer/render-document.server";
import { passageAt, passageFinder } from "./find-passage";
import { passageText } from "./passage-text";

const random = randomNumbers(53);
const below = (limit: number) => Math.floor(random() * limit);
const oneOf = <Item>(items: readonly Item[]) => items[below(items.length)] as Item;

// around the passage while its text is edited
const [BEGIN, END] = ["\ue000", "\ue001"];
const ends = (text: string) => ({ start: text.indexOf(BEGIN), end: text.indexOf(END) });

/** The positions in part of a text at which a pattern matches. */
const places = (text: string, pattern: RegExp, from = 0, to = text.length) =>
  [...text.slice(from, to).matchAll(pattern)].map(({ index }) => from + index);

const replaced = (text: string, at: number, length: number, by: string) =>
  text.slice(0, at) + by + text.slice(at + length);

/** Where the paragraphs of the passage begin and end. */
function paragraphs(text: string) {
  const { start, end } = ends(text);
  const after = text.indexOf("\n", end);
  return { from: text.lastIndexOf("\n", start) + 1, to: after === -1 ? text.length : after };
}

/** What an author does to a text: returns the edited one. */
const EDITS: Record<string, (text: string) => string> = {
  "a typo inside": (text) => {
    const { start, end } = ends(text);
    const at = oneOf(places(text, /\p{L}/gu, start, end));
    const letter = text[at] ?? "";
    return replaced(text, at, 1, oneOf(["", letter + letter, "x"]));
  },
  "a word before": (text) => {
    const { from } = paragraphs(text);
    const at = oneOf([from, ...places(text, /(?<=\s)/g, from, ends(text).start)]);
    return replaced(text, at, 0, oneOf(["quite ", "Meanwhile, ", "a "]));
  },
  "its paragraph moved": (text) => {
    const { from, to } = paragraphs(text);
    const rest = text.slice(0, from) + text.slice(to + 1);
    return replaced(rest, oneOf([0, ...places(rest, /(?<=\n)/g)]), 0, `${text.slice(from, to)}\n`);
  },
  "its paragraph split": (text) => {
    const { from, to } = paragraphs(text);
    const { start, end } = ends(text);
    const inside = places(text, / /g, start, end);
    const anywhere = places(text, / /g, from, to);
    const at = oneOf(inside.length > 0 && random() < 0.7 ? inside : anywhere);
    return at === undefined ? text : replaced(text, at, 1, "\n");
  },
  "its paragraph merged": (text) => {
    const { from, to } = paragraphs(text);
    const inside = places(text, /\n/g, from, to);
    const at = oneOf([
      ...inside,
      ...(from > 0 ? [from - 1] : []),
      ...(to < text.length ? [to] : []),
    ]);
    return replaced(text, at, 1, " ");
  },
  "it deleted": (text) => {
    const { start, end } =
      random() < 0.5 ? ends(text) : { start: paragraphs(text).from, end: paragraphs(text).to };
    return replaced(text, start, end + 1 - start, "");
  },
};

/** A random passage of 1 to 40 words, over paragraphs too, marked in its text. */
function marked(characters: string): { text: string; start: number; end: number } {
  const starts = places(characters, /(?<=^|\s)(?=\S)/g);
  const first = below(starts.length);
  const start = starts[first] ?? 0;
  const words = characters.slice(start, starts[first + 1 + below(40)]);
  const end = start + words.trimEnd().length;
  const text = characters.slice(0, start) + BEGIN + characters.slice(start, end) + END;
  return { text: text + characters.slice(end), start, end };
}

async function sampleTexts(): Promise<string[]> {
  const folder = "app/features/library/sample-edition";
  const source = await readSource(folder, (await listFolder(folder))?.files ?? []);
  return source.documents.map((document) => {
    const rendered = renderDocument(document, referencesOf(source));
    return "html" in rendered ? passageText(rendered.html).characters : "";
  });
}

describe("a thousand highlights in an edited text", () => {
  it("are found again, and none at a wrong place", async () => {
    const texts = await sampleTexts();
    expect(texts.length).toBeGreaterThan(15);
    const counts = { there: 0, found: 0 };
    const wrong: unknown[] = [];
    const missed: unknown[] = [];
    for (let n = 0; n < 1_000; n += 1) {
      const { text, ...range } = marked(oneOf(texts));
      const passage = passageAt(text.replace(BEGIN, "").replace(END, ""), range);
      const edit = oneOf(Object.keys(EDITS));
      const edited = EDITS[edit]?.(text) ?? "";
      const start = edited.indexOf(BEGIN);
      const end = edited.indexOf(END) - 1;
      const found = await passageFinder(edited.replace(BEGIN, "").replace(END, ""))(passage);
      const isThere = start !== -1;
      if (isThere) counts.there += 1;
      const isRight =
        found && isThere && Math.abs(found.start - start) <= 1 && Math.abs(found.end - end) <= 1;
      if (isRight) counts.found += 1;
      else if (found) wrong.push({ edit, passage, found, start, end });
      else if (isThere) missed.push({ edit, quote: passage.quote });
    }
    expect(wrong).toEqual([]);
    expect(counts.there).toBeGreaterThan(700);
    expect(counts.found / counts.there, JSON.stringify(missed, null, 1)).toBeGreaterThanOrEqual(
      0.99,
    );
  });
});
