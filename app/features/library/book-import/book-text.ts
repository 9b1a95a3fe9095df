import { parse } from "yaml";
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

const YAML_FIELDS = /^---[ \t]*\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;
const TOML_FIELDS = /^\+\+\+[ \t]*\n([\s\S]*?)\n\+\+\+[ \t]*(?:\n|$)/;
const FIELD = /^(\w+)\s*[=:]\s*(.+)$/gm;
const PANDOC_TITLE = /^% (.+)\n(?:%.*\n)*/;

/** Splits a file at its front matter, of YAML or of TOML, or pandoc's title. Fields that cannot be read are left out. */
export function splitFields(file: string): {
  fields: Record<string, unknown>;
  markdown: string;
  line: number;
} {
  const [block = "", yaml] = YAML_FIELDS.exec(file) ?? [];
  const [tomlBlock = "", toml = ""] = TOML_FIELDS.exec(file) ?? [];
  const [titleBlock = "", title] = PANDOC_TITLE.exec(file) ?? [];
  const head = block || tomlBlock || titleBlock;
  const fields = (yaml === undefined ? null : read(yaml)) ?? fieldByField(yaml ?? toml);
  return {
    fields: {
      ...(title === undefined ? {} : { title }),
      ...(typeof fields === "object" ? fields : {}),
    },
    markdown: file.slice(head.length),
    line: head.split("\n").length,
  };
}

/** Reads fields of TOML, or of YAML with a mistake in it, each by itself. */
const fieldByField = (block: string) =>
  Object.fromEntries([...block.matchAll(FIELD)].map(([, name, value]) => [name, read(value)]));

function read(yaml = "") {
  try {
    return parse(yaml) as Record<string, unknown> | null;
  } catch {
    return null;
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

/** A heading, on which line it begins and ends, counted from 0. */
type Heading = { level: number; words: string; start: number; end: number };

const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Finds the headings of a text line by line, since to parse a whole book takes minutes. */
export function headingsOf(lines: readonly string[]): Heading[] {
  const headings: Heading[] = [];
  let fence = "";
  for (const [at, line] of lines.entries()) {
    const [, mark = ""] = FENCE.exec(line) ?? [];
    if (fence !== "") {
      if (mark.startsWith(fence)) fence = "";
      continue;
    }
    fence = mark;
    const [, marks, words = ""] = ATX.exec(line) ?? [];
    if (marks) headings.push({ level: marks.length, words, start: at, end: at + 1 });
    const above = lines[at - 1] ?? "";
    const isUnderlined = /^(?:=+|-{2,})[ \t]*$/.test(line) && /^ {0,3}[^\s>|#*+-]/.test(above);
    if (isUnderlined && (lines[at - 2] ?? "").trim() === "") {
      headings.push({
        level: line.startsWith("=") ? 1 : 2,
        words: above.trim(),
        start: at - 1,
        end: at + 1,
      });
    }
  }
  return headings.filter(({ words }) => plainWords(words) !== "");
}

/** Returns a heading's words without Markdown, HTML and attributes, on one line. */
export function plainWords(words: string): string {
  return words
    .replace(/\{:?\s*[#.\w-][^{}]*\}\s*$/, "")
    .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, "$1")
    .replace(/<[^>]*>|[*`]|\\(?=[^\w\s])|\p{Cc}/gu, "")
    .trim();
}

/** A part of a text from one heading to the next of its level. */
export type Section = { words: string | null; part: string | null; start: number; lines: string[] };

/**
 * Divides a text at the highest level that has two headings. A heading with nothing but headings below it begins a
 * part, if most are so. Returns one section if there are no headings to divide at.
 */
export function divide(markdown: string): Section[] {
  const lines = markdown.split("\n");
  const headings = headingsOf(lines);
  const levels = [1, 2, 3, 4, 5, 6].filter(
    (level) => headings.filter((each) => each.level === level).length > 1,
  );
  const top = levels[0];
  if (top === undefined) return [{ words: null, part: null, start: 0, lines }];
  const isEmpty = (heading: Heading) => {
    const next = headings[headings.indexOf(heading) + 1];
    const between = lines.slice(heading.end, next?.start);
    return next !== undefined && next.level > top && between.every((line) => line.trim() === "");
  };
  const tops = headings.filter(({ level }) => level === top);
  const parts = new Set(tops.filter(isEmpty));
  const hasParts = parts.size > 1 && parts.size * 2 >= tops.length;
  const cuts = headings.filter(({ level }) => level === top || (hasParts && level === top + 1));
  const sections: Section[] = [];
  let part: string | null = null;
  // a single heading above is the book's own title
  const title = headings.find((heading) => heading.level < top);
  const before = lines
    .slice(0, cuts[0]?.start)
    .filter((_, at) => !title || at < title.start || at >= title.end);
  if (before.some((line) => line.trim() !== "")) {
    sections.push({ words: null, part, start: 0, lines: before });
  }
  for (const [index, heading] of cuts.entries()) {
    if (hasParts && heading.level === top) {
      part = parts.has(heading) ? plainWords(heading.words) : null;
      if (parts.has(heading)) continue;
    }
    const { words, end } = heading;
    sections.push({ words, part, start: end, lines: lines.slice(end, cuts[index + 1]?.start) });
  }
  return withDefinitions(sections, lines);
}

const DEFINITION = /^ {0,3}\[(\^?[^\]]+)\]:/;

/** Adds to each section the link targets and footnotes that it needs from elsewhere in the text. */
function withDefinitions(sections: Section[], lines: readonly string[]): Section[] {
  const definitions = new Map<string, string[]>();
  for (const [at, line] of lines.entries()) {
    const [, label] = DEFINITION.exec(line) ?? [];
    if (label === undefined) continue;
    let end = at + 1;
    // a footnote's further paragraphs are indented
    while (label.startsWith("^") && /^(?: {2,}|\t)\S|^\s*$/.test(lines[end] ?? "x")) end += 1;
    definitions.set(label.toLowerCase(), lines.slice(at, end));
  }
  return sections.map((section) => {
    const text = section.lines.join("\n").toLowerCase();
    const missing = [...definitions].filter(
      ([label]) => text.includes(`[${label}]`) && !text.includes(`[${label}]:`),
    );
    return { ...section, lines: [...section.lines, ...missing.flatMap(([, its]) => ["", ...its])] };
  });
}

/** Whether two headings are the same but for punctuation. */
export const isSameHeading = (one: string, other: string) =>
  anchorKey(plainWords(one)) === anchorKey(plainWords(other));
