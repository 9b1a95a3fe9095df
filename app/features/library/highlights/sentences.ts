import type { Range } from "~db/search-text";
import { blockId } from "../library-paths";
import { passageText } from "./passage-text";

/** A sentence of a text, and its range of the text's characters. */
export type Sentence = Range & { text: string };

/** Returns the sentences of a stored text's block, counted from 1, with its footnotes; none if there is no such block. */
export function sentencesOf(html: string, block: number, language: string): Sentence[] {
  const from = placeOf(html, block);
  if (from === -1) return [];
  const { characters, starts } = passageText(html);
  const after = placeOf(html, block + 1);
  const positionOf = (place: number) => {
    const position = starts.findIndex((start) => start >= place);
    return position === -1 ? characters.length : position;
  };
  const begin = positionOf(from);
  const text = characters.slice(begin, after === -1 ? undefined : positionOf(after));
  const sentences: Sentence[] = [];
  for (const { segment, index } of new Intl.Segmenter(language, {
    granularity: "sentence",
  }).segment(text)) {
    const words = segment.trim();
    const start = begin + index + segment.indexOf(words);
    if (words !== "") sentences.push({ start, end: start + words.length, text: words });
  }
  return sentences;
}

/** Returns where a block's tag begins in HTML; -1 if there is none. */
const placeOf = (html: string, block: number) =>
  html.search(new RegExp(`<[a-z0-9]+(?: [^<]*)? id="${blockId(block)}"`));
