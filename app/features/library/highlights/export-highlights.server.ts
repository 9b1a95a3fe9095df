import { stringify } from "csv-stringify/sync";
import { env } from "~/env.server";
import { currentSite } from "~/features/site/current-site.server";
import { searchHighlights } from "~db/queries/highlights";
import type { Edition } from "../edition";
import { documentPath, HIGHLIGHTS_PATH } from "../library-paths";
import { pathOf } from "./list-highlights.server";

/** Highlights read at once, since each may have 10,000 characters. */
const BATCH = 200;

/** The columns that Readwise imports (docs.readwise.io, "Import highlights from CSV"). */
const COLUMNS = ["Highlight", "Title", "Author", "URL", "Note", "Location", "Date"];

/** Characters of a text that its locations have room for, which put a book's highlights into their order. */
const TEXT_LENGTH = 1_000_000;

/** Yields a member's highlights as parts of a CSV file for Readwise. */
export async function* exportHighlights(
  userId: string,
  edition: Edition | null,
): AsyncGenerator<string> {
  const { title, author } = currentSite();
  const now = new Date();
  const textIds = (edition?.all() ?? []).map(({ id }) => id);
  yield stringify([COLUMNS]);
  for (let offset = 0; ; offset += BATCH) {
    const { found } = await searchHighlights(userId, { words: [], textIds, offset, limit: BATCH });
    const rows = found.map((row) => {
      const { slug, quote, note, start, createdAt } = row;
      const entry = edition?.find(slug, now) ?? null;
      const path = pathOf(entry, row) ?? (entry ? documentPath(entry) : HIGHLIGHTS_PATH);
      const text = textIds.includes(slug) ? textIds.indexOf(slug) + 1 : textIds.length + 1;
      const location = text * TEXT_LENGTH + start;
      const date = createdAt.toISOString().slice(0, 19).replace("T", " ");
      return [quote, title, author ?? "", env().PUBLIC_URL + path, note, location, date];
    });
    yield stringify(rows);
    if (found.length < BATCH) return;
  }
}
