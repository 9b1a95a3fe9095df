import { and, asc, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { db, firstRow } from "../client";
import { type Highlight, highlights } from "../schema";

type Key = { userId: string; slug: string };

const isOwn = (userId: string, id: string) =>
  and(eq(highlights.userId, userId), eq(highlights.id, id));

/** Highlights read at once, since each may have 10,000 characters and other requests wait for them. */
const BATCH = 1_000;

/** Yields a member's highlights in a text, in its order and by the thousand. */
export async function* readHighlights({ userId, slug }: Key): AsyncGenerator<Highlight[]> {
  const { start, createdAt, id } = highlights;
  for (let offset = 0; ; offset += BATCH) {
    const found = await db()
      .select()
      .from(highlights)
      .where(and(eq(highlights.userId, userId), eq(highlights.slug, slug)))
      .orderBy(asc(start), asc(createdAt), asc(id))
      .limit(BATCH)
      .offset(offset);
    yield found;
    if (found.length < BATCH) return;
  }
}

/** A member's highlights in a text, in its order. */
export async function listHighlights(key: Key): Promise<Highlight[]> {
  const found: Highlight[] = [];
  for await (const batch of readHighlights(key)) found.push(...batch);
  return found;
}

/** A member's highlight; null if they have none with this id. */
export async function findHighlight(userId: string, id: string): Promise<Highlight | null> {
  return firstRow(db().select().from(highlights).where(isOwn(userId, id)));
}

/** The number of a member's highlights. */
export const countHighlights = (userId: string): Promise<number> =>
  db().$count(highlights, eq(highlights.userId, userId));

/** Stores a new highlight. A second time, as from a button pressed twice, it changes nothing. */
export async function insertHighlight(
  row: Omit<Highlight, "isLost" | "createdAt" | "updatedAt">,
): Promise<void> {
  await db().insert(highlights).values(row).onConflictDoNothing();
}

/** Changes a member's highlight. */
export async function updateHighlight(
  userId: string,
  id: string,
  changes: Pick<Highlight, "color" | "note" | "searched">,
): Promise<void> {
  await db()
    .update(highlights)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(isOwn(userId, id));
}

/** Deletes a member's highlight. */
export async function deleteHighlight(userId: string, id: string): Promise<void> {
  await db().delete(highlights).where(isOwn(userId, id));
}

/** Where a highlight's words were found, or that they were not. */
export type PlacedHighlight = Pick<
  Highlight,
  "id" | "quote" | "prefix" | "suffix" | "start" | "searched" | "isLost"
>;

/** Stores where highlights are in a text of this `renderKey`. */
export async function placeHighlights(
  placed: readonly PlacedHighlight[],
  renderKey: string,
): Promise<void> {
  await db().execute(sql`
    update highlights set quote = found.quote, prefix = found.prefix, suffix = found.suffix,
      start = found.start, searched = found.searched, is_lost = found."isLost", render_key = ${renderKey}
    from jsonb_to_recordset(${JSON.stringify(placed)}::jsonb) as found(
      id uuid, quote text, prefix text, suffix text, start int, searched text, "isLost" boolean)
    where highlights.id = found.id
  `);
}

type Search = {
  /** Words as they are searched; all must be in a quote or its note. */
  words: readonly string[];
  /** The ids of the texts in their order; highlights in others come last. */
  textIds: readonly string[];
  offset: number;
  limit: number;
};

/** A member's highlights by text and position, and the number of all that were found. */
export async function searchHighlights(
  userId: string,
  { words, textIds, offset, limit }: Search,
): Promise<{ total: number; found: Highlight[] }> {
  const { slug, start, createdAt, searched } = highlights;
  const where = and(
    eq(highlights.userId, userId),
    ...words.map((word): SQL => sql`strpos(${searched}, ${word}) > 0`),
  );
  const place = sql`array_position(array(
    select jsonb_array_elements_text(${JSON.stringify(textIds)}::jsonb)), ${slug})`;
  const rows = await db()
    .select({ ...getTableColumns(highlights), total: sql<number>`(count(*) over ())::int` })
    .from(highlights)
    .where(where)
    .orderBy(place, slug, start, createdAt)
    .limit(limit)
    .offset(offset);
  return { total: rows[0]?.total ?? 0, found: rows };
}

/** The slugs of the texts of an edition in which a member has highlights that were last looked for in another rendering. */
export async function findMovedTexts(
  userId: string,
  edition: string,
  textIds: readonly string[],
): Promise<string[]> {
  const rows = await db().execute<{ slug: string }>(sql`
    select distinct edition_documents.slug
    from highlights join edition_documents
      on highlights.slug = coalesce(edition_documents.id, edition_documents.slug)
    where user_id = ${userId} and edition = ${edition}
      and highlights.slug in (select jsonb_array_elements_text(${JSON.stringify(textIds)}::jsonb))
      and highlights.render_key <> edition_documents.render_key
  `);
  return rows.map(({ slug }) => slug);
}

/** The texts in which a member has highlights, and when the last of each was changed. */
export async function listHighlightedTexts(
  userId: string,
): Promise<{ slug: string; title: string; updatedAt: Date }[]> {
  const { slug, title, updatedAt } = highlights;
  return db()
    .selectDistinctOn([slug], { slug, title, updatedAt })
    .from(highlights)
    .where(eq(highlights.userId, userId))
    .orderBy(slug, desc(updatedAt));
}
