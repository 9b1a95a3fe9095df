import type { Root } from "mdast";
import { parse } from "yaml";
import { parseMarkdown } from "~/features/markdown/markdown-tree.server";
import { wordsOf } from "~/features/markdown/unparsed-markup";
import { anchorKey } from "../importer/text-markup";

/** A text of a book on its way into an edition. */
export type BookText = {
  /** The file it comes from, relative to the book's folder. */
  path: string;
  /** Markdown without front matter. */
  markdown: string;
  /** Line of the file on which the Markdown begins. */
  line: number;
  title: string;
  /** The first heading, which became the title; null if the title is from elsewhere. */
  heading: string | null;
  /** Null outside of parts. */
  part: string | null;
  /** Replaces the chapter's number; null for a numbered chapter. */
  label: string | null;
  summary: string | null;
  /** As in front matter; null for at once. */
  publish: string | null;
};

/** What has no equal in an edition, by kind, with the places where it was. */
export class Losses {
  readonly #places = new Map<string, string[]>();

  add(kind: string, { path, line }: Pick<BookText, "path" | "line">, within = 1): void {
    const places = this.#places.get(kind) ?? [];
    places.push(`${path}:${line + within - 1}`);
    this.#places.set(kind, places);
  }

  /** Returns one line for each kind, with its count and its first places. */
  lines(): string[] {
    return [...this.#places].map(([kind, places]) => {
      const more = places.length > SHOWN_PLACES ? ", …" : "";
      return `${places.length} × ${kind}: ${places.slice(0, SHOWN_PLACES).join(", ")}${more}`;
    });
  }
}

const SHOWN_PLACES = 3;

const FIELDS = /^---[ \t]*\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;

/** Splits a file at its front matter. Fields that cannot be read are left out. */
export function splitFields(file: string): {
  fields: Record<string, unknown>;
  markdown: string;
  line: number;
} {
  const [head = "", yaml = ""] = FIELDS.exec(file) ?? [];
  return { fields: read(yaml), markdown: file.slice(head.length), line: head.split("\n").length };
}

function read(yaml: string): Record<string, unknown> {
  try {
    const fields: unknown = parse(yaml);
    return typeof fields === "object" ? { ...fields } : {};
  } catch {
    return {};
  }
}

const NUMBERED =
  /^(?:(?:chapter|kapitel|chapitre|cap[ií]tulo)\s+[\divxlc]+\s*[:.–—-]|\d+[.:)])\s+(?=\S)/i;
const APPENDIX = /^((?:appendix|anhang|annexe)\s+[a-z\d]+)\s*[:.–—-]\s*(?=\S)/i;
const UNNUMBERED =
  /^(?:prologue|preface|foreword|introduction|epilogue|afterword|appendix|acknowledge?ments?|glossary|bibliography|dedication|conclusion)\b/i;

/** Divides a heading such as `Appendix A: Keywords` or `3. The Hill` into label and title. */
export function readTitle(heading: string): { title: string; label: string | null } {
  const [appendix = "", label = null] = APPENDIX.exec(heading) ?? [];
  if (label !== null) return { title: heading.slice(appendix.length), label };
  if (UNNUMBERED.test(heading)) return { title: heading, label: heading.slice(0, 40) };
  return { title: heading.replace(NUMBERED, ""), label: null };
}

/** A heading of a text: its place among the blocks, and on which lines it is, counted from 0, without the last. */
export type Heading = { level: number; words: string; block: number; start: number; end: number };

/** Finds the headings of a text that are not within other blocks. */
export function headingsOf(tree: Root): Heading[] {
  return tree.children.flatMap((node, block) => {
    if (node.type !== "heading" || !node.position) return [];
    const { start, end } = node.position;
    const words = wordsOf(node)
      .replace(/\s*\{[^{}]*\}$/, "")
      .trim();
    return words === ""
      ? []
      : [{ level: node.depth, words, block, start: start.line - 1, end: end.line }];
  });
}

/** A part of a text from one heading to the next of its level. */
export type Section = {
  words: string | null;
  part: string | null;
  start: number;
  markdown: string;
};

/**
 * Divides a text at the highest level that has two headings. A heading with nothing but headings below it begins a
 * part, if most are so. Returns one section if there are no headings to divide at.
 */
export function divide(markdown: string): Section[] {
  const tree = parseMarkdown(markdown);
  const lines = markdown.split("\n");
  const headings = headingsOf(tree);
  const top = [1, 2, 3, 4, 5, 6].find(
    (level) => headings.filter((each) => each.level === level).length > 1,
  );
  if (top === undefined) return [{ words: null, part: null, start: 0, markdown }];
  const tops = headings.filter(({ level }) => level === top);
  const parts = new Set(
    tops.filter(({ block }) =>
      headings.some((next) => next.block === block + 1 && next.level > top),
    ),
  );
  const hasParts = parts.size > 1 && parts.size * 2 >= tops.length;
  const cuts = headings.filter(({ level }) => level === top || (hasParts && level === top + 1));
  // a single heading above is the book's own title
  const title = headings.find(({ level }) => level < top);
  const before = lines
    .slice(0, cuts[0]?.start)
    .filter((_, at) => !title || at < title.start || at >= title.end)
    .join("\n");
  const sections: Section[] =
    before.trim() === "" ? [] : [{ words: null, part: null, start: 0, markdown: before }];
  let part: string | null = null;
  for (const [index, heading] of cuts.entries()) {
    if (hasParts && heading.level === top) part = parts.has(heading) ? heading.words : null;
    if (hasParts && parts.has(heading)) continue;
    const its = lines.slice(heading.end, cuts[index + 1]?.start).join("\n");
    sections.push({ words: heading.words, part, start: heading.end, markdown: its });
  }
  return withDefinitions(sections, tree, markdown);
}

/** Adds to each section the link targets and footnotes that it needs from elsewhere in the text. */
function withDefinitions(sections: Section[], { children }: Root, whole: string): Section[] {
  const definitions = children.flatMap((node) => {
    if (node.type !== "definition" && node.type !== "footnoteDefinition") return [];
    const source = whole.slice(node.position?.start.offset, node.position?.end.offset);
    return [{ mark: /\[[^\]]+\]/.exec(source)?.[0].toLowerCase() ?? "", source }];
  });
  return sections.map((section) => {
    const text = section.markdown.toLowerCase();
    const missing = definitions.filter(
      ({ mark }) => text.includes(mark) && !text.includes(`${mark}:`),
    );
    const markdown = [section.markdown, ...missing.map(({ source }) => source)].join("\n\n");
    return { ...section, markdown };
  });
}

/** Whether two headings are the same but for punctuation. */
export const isSameHeading = (one: string, other: string) => anchorKey(one) === anchorKey(other);
