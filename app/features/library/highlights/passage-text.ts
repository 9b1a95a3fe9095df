import { TAGS } from "../stored-html";

/** Matches a tag, a character reference, or characters. The serializer writes no other reference into a text. */
const PARTS = new RegExp(`${TAGS.source}|&#x([\\da-f]+);|[^<&]+|[<&]`, "gi");

/** Matches the links whose text is no part of a text's characters: the numbers of footnotes. */
export const NUMBER_LINKS = ".footnote-ref, .footnote-number";
const NUMBER_LINK = /^<a [^>]*class="footnote-(?:ref|number)"/;

const VOID_TAG = /^<(?:br|hr|img|wbr)\b/;

/**
 * A stored text's characters, in which positions of passages are counted: the text of its elements without the numbers
 * of footnotes and line breaks, and a line break after each element that is in no other. `characterRange` counts alike
 * in a browser.
 */
export type PassageText = {
  characters: string;
  /** Where each character begins and ends in the HTML; empty for a line break after an element. */
  starts: readonly number[];
  ends: readonly number[];
};

/** Returns the characters of a stored text. */
export function passageText(html: string): PassageText {
  let characters = "";
  const starts: number[] = [];
  const ends: number[] = [];
  let depth = 0;
  let isNumber = false;
  const add = (text: string, start: number, end: number) => {
    characters += text;
    for (let at = 0; at < text.length; at += 1) {
      // a reference is one character
      starts.push(end - start === text.length ? start + at : start);
      ends.push(end - start === text.length ? start + at + 1 : end);
    }
  };
  for (const { 0: part, 1: code, index } of html.matchAll(PARTS)) {
    const end = index + part.length;
    if (part.length > 1 && part.startsWith("<")) {
      if (part.startsWith("</")) depth -= 1;
      else if (!VOID_TAG.test(part)) depth += 1;
      if (NUMBER_LINK.test(part)) isNumber = true;
      else if (part === "</a>") isNumber = false;
      if (depth === 0) add("\n", end, end);
    } else if (!isNumber) {
      const text = code ? String.fromCodePoint(Number.parseInt(code, 16)) : part;
      add(text.replace(/\s/g, " "), index, end);
    }
  }
  return { characters, starts, ends };
}
