/**
 * Matches tags in a stored text's HTML. It was sanitized and serialized, so a bracket always belongs to a tag unless
 * it is in a quoted attribute.
 */
export const TAGS = /<(?:[^"'>]|"[^"]*"|'[^']*')*>/g;

/** Matches everything but text in it: tags and character references. */
export const NOT_TEXT = new RegExp(`${TAGS.source}|&#?\\w+;`, "g");

const PARAGRAPH = /<p id="p\d+">(.*?)<\/p>/gs;
const FOOTNOTE_REFERENCE = /<a [^>]*class="footnote-ref"[^>]*>.*?<\/a>/gs;

/** Returns the plain text of the paragraphs that are not within a list, quotation or table. */
export function paragraphsOf(html: string): string[] {
  return [...html.matchAll(PARAGRAPH)].map(([, paragraph = ""]) =>
    paragraph
      .replace(FOOTNOTE_REFERENCE, "")
      .replace(TAGS, "")
      // the serializer writes no other character references into text
      .replace(/&#x([\da-f]+);/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
      .replace(/\s+/g, " ")
      .trim(),
  );
}
