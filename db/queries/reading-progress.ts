import { and, eq, sql } from "drizzle-orm";
import { db } from "../client";
import { readingProgress } from "../schema";

type Key = { userId: string; slug: string };

/** A member's progress in one text. */
export type ProgressRow = Pick<
  typeof readingProgress.$inferSelect,
  "slug" | "block" | "second" | "readAt" | "updatedAt"
>;

const PROGRESS = {
  slug: readingProgress.slug,
  block: readingProgress.block,
  second: readingProgress.second,
  readAt: readingProgress.readAt,
  updatedAt: readingProgress.updatedAt,
};

/** All texts of which a member's progress is known, in no order. */
export async function listReadingProgress(userId: string): Promise<ProgressRow[]> {
  return db().select(PROGRESS).from(readingProgress).where(eq(readingProgress.userId, userId));
}

/**
 * Stores the block at which a member stopped reading a text, in one statement. Of concurrent calls, the one that
 * arrived last wins, even if another is written later.
 */
export async function upsertPosition({
  userId,
  slug,
  block,
}: Key & { block: number }): Promise<void> {
  await db()
    .insert(readingProgress)
    .values({ userId, slug, block })
    .onConflictDoUpdate({
      target: [readingProgress.userId, readingProgress.slug],
      set: { block, updatedAt: sql`excluded.updated_at` },
      setWhere: sql`${readingProgress.updatedAt} <= excluded.updated_at`,
    });
}

/** Marks a text as read, since now unless it was already. The position in it stays. */
export async function markTextRead({ userId, slug }: Key): Promise<void> {
  await db()
    .insert(readingProgress)
    .values({ userId, slug, readAt: sql`now()` })
    .onConflictDoUpdate({
      target: [readingProgress.userId, readingProgress.slug],
      set: { readAt: sql`coalesce(${readingProgress.readAt}, excluded.read_at)` },
    });
}

/** Takes the mark off a text that was read, and the position in it: it is to be read again. */
export async function markTextUnread({ userId, slug }: Key): Promise<void> {
  await db()
    .update(readingProgress)
    .set({ readAt: null, block: null })
    .where(and(eq(readingProgress.userId, userId), eq(readingProgress.slug, slug)));
}

/** Stores the second at which a member stopped listening to a text's sound; null for its beginning. */
export async function upsertListeningPosition({
  userId,
  slug,
  second,
}: Key & { second: number | null }): Promise<void> {
  await db()
    .insert(readingProgress)
    .values({ userId, slug, second })
    .onConflictDoUpdate({
      target: [readingProgress.userId, readingProgress.slug],
      set: { second },
    });
}
