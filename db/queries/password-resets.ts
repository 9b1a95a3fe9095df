import { and, eq, gt, lt } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { passwordResets, users } from "../schema";

/**
 * Notes that a user asked for a new password, in place of any earlier time; false, and nothing changed,
 * if that was after `askAgainAfter`.
 */
export async function replacePasswordReset(
  reset: { userId: string; tokenHash: string; createdAt: Date; expiresAt: Date },
  askAgainAfter: Date,
  executor: Executor = getDatabase().db,
): Promise<boolean> {
  const { userId, ...values } = reset;
  const written = await executor
    .insert(passwordResets)
    .values(reset)
    .onConflictDoUpdate({
      target: passwordResets.userId,
      set: values,
      setWhere: lt(passwordResets.createdAt, askAgainAfter),
    })
    .returning({ userId: passwordResets.userId });
  return written.length > 0;
}

/** Whose reset a token stands for, while it can still be used; null otherwise. Changes nothing. */
export async function findPasswordReset(
  tokenHash: string,
  now: Date,
  executor: Executor = getDatabase().db,
): Promise<{ userId: string; email: string } | null> {
  const [reset] = await executor
    .select({ userId: users.id, email: users.email })
    .from(passwordResets)
    .innerJoin(users, eq(users.id, passwordResets.userId))
    .where(isOpen(tokenHash, now))
    .limit(1);
  return reset ?? null;
}

/** Uses a reset up and gives its user; null if it was used before, has expired or never was. */
export async function takePasswordReset(
  tokenHash: string,
  now: Date,
  executor: Executor = getDatabase().db,
): Promise<string | null> {
  const [reset] = await executor
    .delete(passwordResets)
    .where(isOpen(tokenHash, now))
    .returning({ userId: passwordResets.userId });
  return reset?.userId ?? null;
}

/** Removes resets that expired before `now`; gives how many there were. */
export async function deleteExpiredPasswordResets(
  now: Date,
  executor: Executor = getDatabase().db,
): Promise<number> {
  const gone = await executor
    .delete(passwordResets)
    .where(lt(passwordResets.expiresAt, now))
    .returning({ userId: passwordResets.userId });
  return gone.length;
}

function isOpen(tokenHash: string, now: Date) {
  return and(eq(passwordResets.tokenHash, tokenHash), gt(passwordResets.expiresAt, now));
}
