import { currentSite } from "~/features/site/current-site.server";
import { utcDate } from "~/ui";
import { listHighlightedTexts, listHighlights } from "~db/queries/highlights";
import { findNote, listNotes } from "~db/queries/notes";
import type { Edition } from "../edition";
import { labeledTitle } from "../entry-label";

/**
 * Yields a member's notes and highlights as parts of one Markdown file, with a heading per text. Texts are in the
 * edition's order, then deleted ones. They are read text by text, since together they may be large.
 */
export async function* exportNotes(
  userId: string,
  edition: Edition | null,
): AsyncGenerator<string> {
  yield `# Notes on ${currentSite().title}\n`;
  const [written, highlighted] = await Promise.all([
    listNotes(userId),
    listHighlightedTexts(userId),
  ]);
  const texts = new Map([...highlighted, ...written].map((text) => [text.slug, text]));
  if (texts.size === 0) yield "\nYou don’t have any notes yet.\n";
  const entries = new Map(
    (edition?.all() ?? []).map((entry, index) => [entry.id, { entry, index }]),
  );
  const place = (slug: string) => entries.get(slug)?.index ?? entries.size;
  for (const { slug, title, updatedAt } of [...texts.values()].sort(
    (one, other) => place(one.slug) - place(other.slug),
  )) {
    const key = { userId, slug };
    const [note, highlights] = await Promise.all([findNote(key), listHighlights(key)]);
    if (!note?.text && highlights.length === 0) continue;
    const entry = entries.get(slug)?.entry;
    const heading = oneLine(entry ? labeledTitle(entry) : title);
    yield `\n## ${heading}\n\n*${utcDate(updatedAt)}*\n`;
    if (note?.text) yield `\n${note.text.trimEnd()}\n`;
    for (const highlight of highlights) {
      yield `\n> ${highlight.quote.replaceAll("\n", "\n>\n> ")}\n`;
      if (highlight.note) yield `\n${highlight.note}\n`;
    }
  }
}

const oneLine = (title: string) => title.replaceAll(/\s+/g, " ");
