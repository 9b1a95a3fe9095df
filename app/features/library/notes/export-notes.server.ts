import { currentSite } from "~/features/site/current-site.server";
import { utcDate } from "~/ui";
import { listHighlightedTexts, readHighlights } from "~db/queries/highlights";
import { findNote, listNotes } from "~db/queries/notes";
import type { Highlight } from "~db/schema";
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
    const note = await findNote(key);
    if (!note?.text && !highlighted.some((text) => text.slug === slug)) continue;
    const entry = entries.get(slug)?.entry;
    const heading = oneLine(entry ? labeledTitle(entry) : title);
    yield `\n## ${heading}\n\n*${utcDate(updatedAt)}*\n`;
    if (note?.text) yield `\n${note.text.trimEnd()}\n`;
    for await (const highlights of readHighlights(key)) yield highlights.map(quoted).join("");
  }
}

const quoted = ({ quote, note }: Highlight) =>
  `\n> ${quote.replaceAll("\n", "\n>\n> ")}\n${note && `\n${note}\n`}`;

const oneLine = (title: string) => title.replaceAll(/\s+/g, " ");
