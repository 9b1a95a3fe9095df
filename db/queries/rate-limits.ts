import { lt } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { rateLimits } from "../schema";

/** Removes counts whose time was over before `now`. */
export async function deleteExpiredRateLimits(
  now: Date,
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor.delete(rateLimits).where(lt(rateLimits.expire, now));
}
