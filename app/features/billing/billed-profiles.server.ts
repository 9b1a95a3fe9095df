import { countBilledProfiles, findBilledProfiles } from "~db/queries/profiles";
import type { Profile } from "~db/schema";
import { inParallel } from "./in-parallel";

/** Rows read at a time; a walk goes on from the end of the last page that is through. */
const PAGE = 500;

/** How far a walk over all profiles is. */
export type Progress = {
  done: number;
  total: number;
  /** Seconds left if it goes on as it did. */
  secondsLeft: number;
  /** The user's id to go on from with `afterId`. */
  reached: string;
};

/**
 * Does some work for every profile that has a Stripe customer, in the order of the users' ids and several at
 * the same time; the calls to Stripe have their own budget. `tell` hears of each page that is through.
 * Throws what the work throws.
 */
export async function forEachBilledProfile(
  work: (profile: Profile & { stripeCustomerId: string }) => Promise<void>,
  { afterId = null, tell }: { afterId?: string | null; tell?: (progress: Progress) => void } = {},
): Promise<number> {
  const total = await countBilledProfiles(afterId);
  const begun = Date.now();
  let done = 0;
  let reached = afterId;
  for (;;) {
    const page = await findBilledProfiles(reached, PAGE);
    const last = page.at(-1);
    if (!last) return done;
    await inParallel(page, async (profile) => {
      const { stripeCustomerId } = profile;
      if (stripeCustomerId !== null) await work({ ...profile, stripeCustomerId });
    });
    done += page.length;
    reached = last.id;
    const secondsLeft = ((total - done) * (Date.now() - begun)) / done / 1_000;
    tell?.({ done, total, secondsLeft: Math.max(0, secondsLeft), reached });
  }
}
