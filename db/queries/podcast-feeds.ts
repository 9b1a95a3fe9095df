import { and, eq, gte } from "drizzle-orm";
import { db, type Executor, firstRow } from "../client";
import { podcastFeeds, profiles } from "../schema";

/** The token in the address of a user's feed; null if they have none yet. */
export async function findPodcastToken(userId: string): Promise<string | null> {
  const [feed] = await db()
    .select({ token: podcastFeeds.token })
    .from(podcastFeeds)
    .where(eq(podcastFeeds.userId, userId));
  return feed?.token ?? null;
}

/** Gives a user a feed; one that they have already is kept. */
export async function insertPodcastFeed(feed: { userId: string; token: string }): Promise<void> {
  await db().insert(podcastFeeds).values(feed).onConflictDoNothing();
}

/** Gives a user's feed another token, as of now; false if they have no feed. */
export async function updatePodcastToken({
  userId,
  token,
}: {
  userId: string;
  token: string;
}): Promise<boolean> {
  const { count } = await db()
    .update(podcastFeeds)
    .set({ token, createdAt: new Date() })
    .where(eq(podcastFeeds.userId, userId));
  return count > 0;
}

/** Removes a user's feed if its address was made since an instant; false if there was none. */
export async function deletePodcastFeed(
  userId: string,
  since = new Date(0),
  executor: Executor = db(),
): Promise<boolean> {
  const { count } = await executor
    .delete(podcastFeeds)
    .where(and(eq(podcastFeeds.userId, userId), gte(podcastFeeds.createdAt, since)));
  return count > 0;
}

/** The profile that decides the access of this feed's member; null if no feed has this token. */
export async function findProfileByPodcastToken(
  token: string,
): Promise<{ stripePriceId: string | null; stripeCurrentPeriodEnd: Date | null } | null> {
  return firstRow(
    db()
      .select({
        stripePriceId: profiles.stripePriceId,
        stripeCurrentPeriodEnd: profiles.stripeCurrentPeriodEnd,
      })
      .from(podcastFeeds)
      .innerJoin(profiles, eq(profiles.id, podcastFeeds.userId))
      .where(eq(podcastFeeds.token, token)),
  );
}
