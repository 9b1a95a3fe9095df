import { getDatabase } from "../client";
import { readingProgress } from "../schema";

/** Keeps the second at which a member stopped listening to a text's sound; null for its beginning. */
export async function upsertListeningPlace({
  second,
  ...key
}: {
  userId: string;
  slug: string;
  second: number | null;
}): Promise<void> {
  const { db } = getDatabase();
  await db
    .insert(readingProgress)
    .values({ ...key, second })
    .onConflictDoUpdate({
      target: [readingProgress.userId, readingProgress.slug],
      set: { second },
    });
}
