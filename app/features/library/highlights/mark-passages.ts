import type { Range } from "~db/search-text";
import { TAGS } from "../stored-html";

/** Matches a tag, or the text up to the next one. */
const PARTS = new RegExp(`${TAGS.source}|[^<]+|<`, "g");

/** A range of a stored text's HTML, whose ends are in no tag or character reference, and the tag that marks it. */
export type Mark = Range & { tag: string };

/** Markup to insert at a position or soon after it: not within a link. */
export type Insertion = { at: number; html: string };

/**
 * Returns a stored text's HTML with `<mark>` around ranges, which may reach over any elements. Of the marks of one layer,
 * which are in the order of their starts, the last to start is shown where they overlap.
 */
export function withMarks(
  html: string,
  layers: readonly (readonly Mark[])[],
  insertions: readonly Insertion[] = [],
): string {
  const open = layers.map((marks) => new OpenMarks(marks));
  const waiting = insertions.toSorted((one, other) => one.at - other.at);
  let next = 0;
  let isLink = false;
  let marked = "";
  const insertUpTo = (at: number) => {
    if (isLink) return;
    for (let first = waiting[next]; first && first.at <= at; first = waiting[next]) {
      marked += first.html;
      next += 1;
    }
  };
  for (const { 0: part, index } of html.matchAll(PARTS)) {
    const end = index + part.length;
    if (part.length > 1 && part.startsWith("<")) {
      if (/^<\/?a\b/.test(part)) isLink = part[1] !== "/";
      marked += part;
      if (part === "</a>") insertUpTo(index);
      continue;
    }
    for (let at = index; at < end; ) {
      const tags = open.flatMap((layer) => layer.tagAt(at) ?? []);
      const until = Math.min(end, ...open.map((layer) => layer.nextChange()));
      const piece = html.slice(at, until);
      // between the items of a list or the cells of a table, there can be no mark
      const isGap = piece.includes("\n") && piece.trim() === "";
      marked += isGap ? piece : tags.join("") + piece + "</mark>".repeat(tags.length);
      insertUpTo(until);
      at = until;
    }
  }
  insertUpTo(html.length);
  return marked;
}

/** The marks of one layer, asked for ever later positions. */
class OpenMarks {
  readonly #marks: readonly Mark[];
  readonly #open: (Mark & { isBegun?: boolean })[] = [];
  #next = 0;

  constructor(marks: readonly Mark[]) {
    this.#marks = marks;
  }

  /** The tag at a position; only a mark's first one has an id. */
  tagAt(at: number): string | null {
    for (let mark = this.#marks[this.#next]; mark && mark.start <= at; ) {
      this.#open.push({ ...mark });
      this.#next += 1;
      mark = this.#marks[this.#next];
    }
    while ((this.#open.at(-1)?.end ?? Number.POSITIVE_INFINITY) <= at) this.#open.pop();
    const shown = this.#open.at(-1);
    if (!shown) return null;
    const tag = shown.isBegun ? shown.tag.replace(/ id="[^"]*"/, "") : shown.tag;
    shown.isBegun = true;
    return tag;
  }

  /** The position after the last one at which another mark may be shown. */
  nextChange(): number {
    const begins = this.#marks[this.#next]?.start ?? Number.POSITIVE_INFINITY;
    return Math.min(begins, this.#open.at(-1)?.end ?? Number.POSITIVE_INFINITY);
  }
}
