import { stringify } from "csv-stringify/sync";
import { env } from "~/env.server";
import { currentSite } from "~/features/site/current-site.server";
import { listHighlightedTexts, readHighlights } from "~db/queries/highlights";
import type { Edition } from "../edition";
import { documentPath, HIGHLIGHTS_PATH } from "../library-paths";
import { pathOf } from "./list-highlights.server";

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
  const place = (slug: string) => (textIds.indexOf(slug) + 1 || textIds.length + 1) * TEXT_LENGTH;
  yield stringify([COLUMNS]);
  const texts = await listHighlightedTexts(userId);
  for (const { slug } of texts.sort((one, other) => place(one.slug) - place(other.slug))) {
    const entry = edition?.find(slug, now) ?? null;
    const start = place(slug);
    for await (const found of readHighlights({ userId, slug })) {
      const rows = found.map((row) => {
        const path = pathOf(entry, row) ?? (entry ? documentPath(entry) : HIGHLIGHTS_PATH);
        const date = row.createdAt.toISOString().slice(0, 19).replace("T", " ");
        const location = start + row.start;
        const url = env().PUBLIC_URL + path;
        return [row.quote, title, author ?? "", url, row.note, location, date];
      });
      yield stringify(rows);
    }
  }
}
