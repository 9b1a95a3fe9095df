import { type Executor, getDatabase } from "../client";
import { readingProgress } from "../schema";
import { findTextProgress } from "./reading-progress";

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
  key: Key,
  executor: Executor = getDatabase().db,
): Promise<number | null> {
  const row = await findTextProgress(key, executor);
  return row?.second ?? null;
}
