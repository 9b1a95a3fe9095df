import { and, eq, sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { preparedQuery } from "../prepared-query";
import { readingProgress } from "../schema";

type Key = { userId: string; slug: string };

/** Keeps the second at which a member stopped listening to a text's sound; null for its beginning. */
export async function upsertListeningPlace(
  { second, ...key }: Key & { second: number | null },
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor
    .insert(readingProgress)
    .values({ ...key, second })
    .onConflictDoUpdate({
      target: [readingProgress.userId, readingProgress.slug],
      set: { second },
    });
}

/** The second at which a member stopped listening to a text's sound; null if that is not known. */
export async function findListeningPlace(
  { userId, slug }: Key,
  executor: Executor = getDatabase().db,
): Promise<number | null> {
  const [row] = await placeIn(executor).execute({ userId, slug });
  return row?.second ?? null;
}

const placeIn = preparedQuery((executor) =>
  executor
    .select({ second: readingProgress.second })
    .from(readingProgress)
    .where(
      and(
        eq(readingProgress.userId, sql.placeholder("userId")),
        eq(readingProgress.slug, sql.placeholder("slug")),
      ),
    )
    .prepare("find_listening_place"),
);
