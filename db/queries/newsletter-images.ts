import { eq, inArray } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { newsletterImages } from "../schema";

type NewsletterImage = Omit<typeof newsletterImages.$inferSelect, "createdAt">;

/** Stores images; one that is there already has the same content, since its name depends on it. */
export async function insertNewsletterImages(
  images: readonly NewsletterImage[],
  executor: Executor = getDatabase().db,
): Promise<void> {
  // one at a time: each may be a megabyte
  for (const { name, mediaType, width, height, content } of images) {
    await executor
      .insert(newsletterImages)
      .values({ name, mediaType, width, height, content })
      .onConflictDoNothing();
  }
}

export async function findNewsletterImage(
  name: string,
  executor: Executor = getDatabase().db,
): Promise<{ mediaType: string; content: Buffer } | null> {
  const [image] = await executor
    .select({ mediaType: newsletterImages.mediaType, content: newsletterImages.content })
    .from(newsletterImages)
    .where(eq(newsletterImages.name, name));
  return image ?? null;
}

/** The sizes of the images with these names, in pixels. */
export async function findNewsletterImageSizes(
  names: readonly string[],
  executor: Executor = getDatabase().db,
): Promise<{ name: string; width: number; height: number }[]> {
  if (names.length === 0) return [];
  return executor
    .select({
      name: newsletterImages.name,
      width: newsletterImages.width,
      height: newsletterImages.height,
    })
    .from(newsletterImages)
    .where(inArray(newsletterImages.name, [...names]));
}
