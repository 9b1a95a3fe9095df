import { eq } from "drizzle-orm";
import { db, type Executor } from "../client";
import { membershipGrants } from "../schema";

/** Until when a user's membership is complimentary, which may be over; null if none was ever granted. */
export async function findGrantedUntil(
  userId: string,
  executor: Executor = db(),
): Promise<Date | null> {
  const [grant] = await executor
    .select({ until: membershipGrants.until })
    .from(membershipGrants)
    .where(eq(membershipGrants.userId, userId));
  return grant?.until ?? null;
}

/** Grants a user a complimentary membership, or changes its end. */
export async function upsertGrant(userId: string, until: Date, tx: Executor): Promise<void> {
  await tx
    .insert(membershipGrants)
    .values({ userId, until })
    .onConflictDoUpdate({ target: membershipGrants.userId, set: { until } });
}
