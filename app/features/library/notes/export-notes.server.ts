import { currentSite } from "~/features/site/current-site.server";
import { utcDate } from "~/ui";
import { findNote, listNotes } from "~db/queries/notes";
import type { Edition } from "../edition";
import { labelledTitle } from "../entry-label";

/**
 * Yields a member's notes as parts of one Markdown file, with a heading per text. Texts are in the edition's order,
 * then deleted ones. Notes are read one by one, since together they may be large.
 */
export async function* exportNotes(
  userId: string,
  edition: Edition | null,
): AsyncGenerator<string> {
  yield `# Notes on ${currentSite().title}\n`;
  const written = await listNotes(userId);
  if (written.length === 0) yield "\nThere are no notes yet.\n";
  const entries = new Map(
    (edition?.all() ?? []).map((entry, index) => [entry.id, { entry, index }]),
  );
  const place = (slug: string) => entries.get(slug)?.index ?? entries.size;
  for (const { slug, title, updatedAt } of written.toSorted(
    (one, other) => place(one.slug) - place(other.slug),
  )) {
    const note = await findNote({ userId, slug });
    if (!note?.text) continue;
    const entry = entries.get(slug)?.entry;
    const heading = oneLine(entry ? labelledTitle(entry) : title);
    yield `\n## ${heading}\n\n*${utcDate(updatedAt)}*\n\n${note.text.trimEnd()}\n`;
  }
}

const oneLine = (title: string) => title.replaceAll(/\s+/g, " ");
