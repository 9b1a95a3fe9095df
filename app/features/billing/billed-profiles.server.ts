import { countBilledProfiles, findBilledProfiles } from "~db/queries/profiles";
import type { Profile } from "~db/schema";
import { inParallel } from "./in-parallel";

/** Rows read at a time. An interrupted iteration resumes after the last completed page. */
const PAGE_SIZE = 500;

/** Progress of an iteration over all profiles. */
export type Progress = {
  done: number;
  total: number;
  /** Estimated seconds left at the average rate so far. */
  secondsLeft: number;
  /** The last completed user id, to resume from with `afterId`. */
  reached: string;
};

/**
 * Calls `work` for every profile with a Stripe customer, by user id and several concurrently. The call budget limits
 * calls to Stripe. Calls `onProgress` after each page. Resolves to the number of profiles; rejects with the error of
 * `work`.
 */
export async function forEachBilledProfile(
  work: (profile: Profile & { stripeCustomerId: string }) => Promise<void>,
  {
    afterId = null,
    onProgress,
  }: { afterId?: string | null; onProgress?: (progress: Progress) => void } = {},
): Promise<number> {
  const total = await countBilledProfiles(afterId);
  const startedAt = Date.now();
  let done = 0;
  let reached = afterId;
  for (;;) {
    const page = await findBilledProfiles(reached, PAGE_SIZE);
    const last = page.at(-1);
    if (!last) return done;
    await inParallel(page, async (profile) => {
      const { stripeCustomerId } = profile;
      if (stripeCustomerId !== null) await work({ ...profile, stripeCustomerId });
    });
    done += page.length;
    reached = last.id;
    const secondsLeft = ((total - done) * (Date.now() - startedAt)) / done / 1_000;
    onProgress?.({ done, total, secondsLeft: Math.max(0, secondsLeft), reached });
  }
}
