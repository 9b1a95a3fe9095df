import { sql } from "drizzle-orm";
import { notes, readingProgress } from "../schema";
import type { NoteRow } from "./notes";
import type { ProgressRow } from "./reading-progress";
import { dateOf, type JsonInstant, type ViewerDetail } from "./viewer-details";

/** What the page of a text shows of its member; each is null if it is not known. */
export type TextReading = Pick<ProgressRow, "block" | "second" | "readAt"> & {
  note: NoteRow | null;
};

type TextReadingInJson = [
  block: number | null,
  second: number | null,
  readAt: JsonInstant | null,
  text: string | null,
  version: number | null,
];

/** How far a member is in one text, and their notes on it. */
export const textReading = (slug: string): ViewerDetail<TextReading> => ({
  name: "text_reading",
  json: (userId) => {
    const { block, second, readAt } = readingProgress;
    const is = (table: typeof readingProgress | typeof notes) =>
      sql`${table.userId} = ${userId} and ${table.slug} = ${sql.placeholder("slug")}::text`;
    return sql`(
      select json_build_array(${block}, ${second}, ${readAt}, ${notes.text}, ${notes.version})
      from (select 1) as one
      left join ${readingProgress} on ${is(readingProgress)}
      left join ${notes} on ${is(notes)})`;
  },
  values: { slug },
  read: (json) => {
    const [block, second, readAt, text, version] = json as TextReadingInJson;
    return {
      ...{ block, second },
      readAt: dateOf(readAt),
      note: text === null || version === null ? null : { text, version },
    };
  },
});
