import { findDocumentHtml } from "~db/queries/editions";
import type { Edition, EditionEntry } from "./edition";
import { TAGS } from "./stored-html";

/** The opening of a chapter: its title and first paragraphs, as plain text. */
export type Opening = { title: string; paragraphs: string[] };

/** Paragraphs in the opening; at most half of a chapter that only members may read in full. */
const PARAGRAPHS = 5;

/**
 * Loads the opening of chapter 1 for anyone: up to five paragraphs before the first heading. Null if chapter 1 is not
 * published at `now`, or is too short.
 */
export async function loadOpening(edition: Edition, now: Date): Promise<Opening | null> {
  const first = edition.chapters(now).find(({ position }) => position === 1);
  if (!first) return null;
  const paragraphs = await openingParagraphs(edition, first);
  return paragraphs.length === 0 ? null : { title: first.title, paragraphs };
}

/** Cached by edition, since landing pages are rendered for every signed-in viewer. */
const known = new WeakMap<Edition, string[]>();

async function openingParagraphs(edition: Edition, chapter: EditionEntry): Promise<string[]> {
  const found = known.get(edition);
  if (found) return found;
  const html = await findDocumentHtml(edition.digest, chapter.slug);
  if (html === null) return [];
  const paragraphs = paragraphsOf(html);
  const shown = chapter.isPublic
    ? PARAGRAPHS
    : Math.min(PARAGRAPHS, Math.floor(paragraphs.all / 2));
  const opening = paragraphs.first.slice(0, shown);
  known.set(edition, opening);
  return opening;
}

const PARAGRAPH = /<p id="p\d+">(.*?)<\/p>/gs;
const FOOTNOTE_REFERENCE = /<a [^>]*class="footnote-ref"[^>]*>.*?<\/a>/gs;

/** Returns the plain text of the paragraphs before the first heading, and the number of all paragraphs. */
function paragraphsOf(html: string): { first: string[]; all: number } {
  const [beginning = ""] = html.split(/<h[2-6]\b/, 1);
  const first = [...beginning.matchAll(PARAGRAPH)].map(([, paragraph = ""]) =>
    paragraph
      .replace(FOOTNOTE_REFERENCE, "")
      .replace(TAGS, "")
      // the serializer writes no other character references into text
      .replace(/&#x([\da-f]+);/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
      .replace(/\s+/g, " ")
      .trim(),
  );
  return { first: first.filter((text) => text !== ""), all: [...html.matchAll(PARAGRAPH)].length };
}
