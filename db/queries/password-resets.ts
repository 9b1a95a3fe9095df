import { and, eq, gt, lt, or, sql } from "drizzle-orm";
import { db, type Executor, firstRow } from "../client";
import { isNotSince } from "../clock";
import { passwordResets, users } from "../schema";

/** Limits the links mailed to a user: none before `askAgainAfter`, and at most `most` since `countSince`. */
export type PasswordResetMailLimit = { askAgainAfter: Date; countSince: Date; most: number };

/**
 * Stores a user's password reset, replacing any earlier one; false, with nothing changed, if the limit does not
 * allow another mail now. The last mailed link then stays valid.
 */
export async function replacePasswordReset(
  reset: { userId: string; tokenHash: string; createdAt: Date; expiresAt: Date },
  { askAgainAfter, countSince, most }: PasswordResetMailLimit,
  executor: Executor = db(),
): Promise<boolean> {
  const { userId, ...values } = reset;
  const isCountOver = isNotSince(passwordResets.countedSince, countSince, reset.createdAt);
  const { count } = await executor
    .insert(passwordResets)
    .values({ ...reset, mailCount: 1, countedSince: reset.createdAt })
    .onConflictDoUpdate({
      target: passwordResets.userId,
      set: {
        ...values,
        mailCount: sql`case when ${isCountOver} then 1 else ${passwordResets.mailCount} + 1 end`,
        countedSince: sql`case when ${isCountOver} then ${sql.param(reset.createdAt, passwordResets.countedSince)} else ${passwordResets.countedSince} end`,
      },
      setWhere: and(
        isNotSince(passwordResets.createdAt, askAgainAfter, reset.createdAt),
        or(isCountOver, lt(passwordResets.mailCount, most)),
      ),
    });
  return count > 0;
}

/** The user of an unused, unexpired reset token; null otherwise. Changes nothing. */
export async function findPasswordReset(
  tokenHash: string,
  now: Date,
): Promise<{ userId: string; email: string } | null> {
  return firstRow(
    db()
      .select({ userId: users.id, email: users.email })
      .from(passwordResets)
      .innerJoin(users, eq(users.id, passwordResets.userId))
      .where(isOpen(tokenHash, now))
      .limit(1),
  );
}

/** Uses a reset up and returns its user id; null if it was used before, has expired or never existed. */
export async function takePasswordReset(
  tokenHash: string,
  now: Date,
  executor: Executor = db(),
): Promise<string | null> {
  const [reset] = await executor
    .delete(passwordResets)
    .where(isOpen(tokenHash, now))
    .returning({ userId: passwordResets.userId });
  return reset?.userId ?? null;
}

/** Ends a user's open reset link, if there is one. */
export async function deletePasswordReset(
  userId: string,
  executor: Executor = db(),
): Promise<void> {
  await executor.delete(passwordResets).where(eq(passwordResets.userId, userId));
}

function isOpen(tokenHash: string, now: Date) {
  return and(eq(passwordResets.tokenHash, tokenHash), gt(passwordResets.expiresAt, now));
}
