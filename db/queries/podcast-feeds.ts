import { eq } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { podcastFeeds, profiles } from "../schema";

/** The token in the address of a user's feed; null if they have none yet. */
export async function findPodcastToken(
  userId: string,
  executor: Executor = getDatabase().db,
): Promise<string | null> {
  const [feed] = await executor
    .select({ token: podcastFeeds.token })
    .from(podcastFeeds)
    .where(eq(podcastFeeds.userId, userId));
  return feed?.token ?? null;
}

/** Gives a user a feed; one that they have already is kept. */
export async function insertPodcastFeed(
  feed: { userId: string; token: string },
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor.insert(podcastFeeds).values(feed).onConflictDoNothing();
}

/** Gives a user's feed another token; false if they have no feed. */
export async function updatePodcastToken(
  { userId, token }: { userId: string; token: string },
  executor: Executor = getDatabase().db,
): Promise<boolean> {
  const renewed = await executor
    .update(podcastFeeds)
    .set({ token })
    .where(eq(podcastFeeds.userId, userId))
    .returning({ userId: podcastFeeds.userId });
  return renewed.length > 0;
}

/** What the access of the member with this feed depends on; null if no feed has this token. */
export async function findProfileByPodcastToken(
  token: string,
  executor: Executor = getDatabase().db,
): Promise<{ stripePriceId: string | null; stripeCurrentPeriodEnd: Date | null } | null> {
  const [profile] = await executor
    .select({
      stripePriceId: profiles.stripePriceId,
      stripeCurrentPeriodEnd: profiles.stripeCurrentPeriodEnd,
    })
    .from(podcastFeeds)
    .innerJoin(profiles, eq(profiles.id, podcastFeeds.userId))
    .where(eq(podcastFeeds.token, token));
  return profile ?? null;
}
