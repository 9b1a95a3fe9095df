import { eq, or, sql } from "drizzle-orm";
import { db, type Executor } from "../client";
import { avatars, users } from "../schema";

type NewAvatar = Omit<typeof avatars.$inferInsert, "createdAt">;

/**
 * Sets the picture of a user, and its address in the user's row. False, with nothing written, if there is no such
 * user (any more).
 */
export async function upsertAvatar(avatar: NewAvatar, avatarUrl: string): Promise<boolean> {
  const { userId, ...pictures } = avatar;
  return db().transaction(async (tx) => {
    // first, so that its lock serializes changes of this user's picture
    if (!(await setAvatarUrl(userId, avatarUrl, tx))) return false;
    await tx
      .insert(avatars)
      .values(avatar)
      .onConflictDoUpdate({
        target: avatars.userId,
        set: { ...pictures, createdAt: sql`now()` },
      });
    return true;
  });
}

/** Deletes the picture of a user, and its address in the user's row. */
export async function deleteAvatar(userId: string): Promise<void> {
  await db().transaction(async (tx) => {
    await setAvatarUrl(userId, null, tx);
    await tx.delete(avatars).where(eq(avatars.userId, userId));
  });
}

async function setAvatarUrl(
  userId: string,
  avatarUrl: string | null,
  tx: Executor,
): Promise<boolean> {
  const { count } = await tx
    .update(users)
    .set({ avatarUrl, updatedAt: new Date() })
    .where(eq(users.id, userId));
  return count > 0;
}

/** Any user's picture with this hash, in either size; null if there is none. */
export async function findAvatarImage(sha256: string): Promise<Buffer | null> {
  const [avatar] = await db()
    .select({
      small: sql<Buffer | null>`case when ${avatars.smallSha256} = ${sha256} then ${avatars.small} end`,
      large: sql<Buffer | null>`case when ${avatars.largeSha256} = ${sha256} then ${avatars.large} end`,
    })
    .from(avatars)
    .where(or(eq(avatars.smallSha256, sha256), eq(avatars.largeSha256, sha256)))
    .limit(1);
  return avatar?.small ?? avatar?.large ?? null;
}
