import { lt } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { rateLimits } from "../schema";

/** Deletes counts that expired before `now`. */
export async function deleteExpiredRateLimits(
  now: Date,
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor.delete(rateLimits).where(lt(rateLimits.expire, now));
}
