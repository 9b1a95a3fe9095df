import { and, eq, sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { preparedQuery } from "../prepared-query";
import { notes, readingProgress } from "../schema";
import type { NoteRow } from "./notes";
import type { ProgressRow } from "./reading-progress";

/** What the page of a text shows of its member; each is null if it is not known. */
export type TextReading = Pick<ProgressRow, "block" | "second" | "readAt"> & {
  note: NoteRow | null;
};

const readingOf = preparedQuery((executor) => {
  const key = {
    userId: sql`${sql.placeholder("userId")}::uuid`,
    slug: sql`${sql.placeholder("slug")}::text`,
  };
  return executor
    .select({
      block: readingProgress.block,
      second: readingProgress.second,
      readAt: readingProgress.readAt,
      note: { text: notes.text, version: notes.version },
    })
    .from(sql`(select 1) as one`)
    .leftJoin(
      readingProgress,
      and(eq(readingProgress.userId, key.userId), eq(readingProgress.slug, key.slug)),
    )
    .leftJoin(notes, and(eq(notes.userId, key.userId), eq(notes.slug, key.slug)))
    .prepare("find_text_reading");
});

/** How far a member is in one text, and their notes on it, in one statement. */
export async function findTextReading(
  key: { userId: string; slug: string },
  executor: Executor = getDatabase().db,
): Promise<TextReading> {
  const [reading] = await readingOf(executor).execute(key);
  return reading ?? { block: null, second: null, readAt: null, note: null };
}
