import { eq, inArray, sql } from "drizzle-orm";
import { db, type Executor, firstRow } from "../client";
import { campaigns, newsletterImages } from "../schema";

type NewsletterImage = Omit<typeof newsletterImages.$inferSelect, "createdAt">;

/**
 * Stores images. An existing one has the same content, since its name depends on it; it counts as stored now, so that
 * no clean-up deletes it before the caller uses it.
 */
export async function insertNewsletterImages(
  images: readonly NewsletterImage[],
  executor: Executor = db(),
): Promise<void> {
  // one at a time: each may be a megabyte
  for (const { name, mediaType, width, height, content } of images) {
    await executor
      .insert(newsletterImages)
      .values({ name, mediaType, width, height, content })
      .onConflictDoUpdate({ target: newsletterImages.name, set: { createdAt: sql`now()` } });
  }
}

/** Deletes images stored before `before` that no issue's text names. */
export async function deleteUnusedNewsletterImages(before: Date): Promise<void> {
  // any occurrence counts: names are unguessable, and keeping an image too many is harmless
  await db().execute(sql`
    delete from ${newsletterImages}
    where created_at < ${before.toISOString()}::timestamptz and name not in (
      select match[1] from ${campaigns}, regexp_matches(markdown, '([A-Za-z0-9_-]{22}\\.[a-z]+)', 'g') match
    )`);
}

export async function findNewsletterImage(
  name: string,
): Promise<{ mediaType: string; content: Buffer } | null> {
  return firstRow(
    db()
      .select({ mediaType: newsletterImages.mediaType, content: newsletterImages.content })
      .from(newsletterImages)
      .where(eq(newsletterImages.name, name)),
  );
}

/** The sizes of the images with these names, in pixels. */
export async function findNewsletterImageSizes(
  names: readonly string[],
): Promise<{ name: string; width: number; height: number }[]> {
  if (names.length === 0) return [];
  return db()
    .select({
      name: newsletterImages.name,
      width: newsletterImages.width,
      height: newsletterImages.height,
    })
    .from(newsletterImages)
    .where(inArray(newsletterImages.name, [...names]));
}
