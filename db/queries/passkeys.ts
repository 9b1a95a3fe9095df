import { and, eq, gte } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { passkeys } from "../schema";

/** Removes the passkeys that were added to an account since an instant. */
export async function deletePasskeysSince(
  userId: string,
  since: Date,
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor
    .delete(passkeys)
    .where(and(eq(passkeys.userId, userId), gte(passkeys.createdAt, since)));
}
