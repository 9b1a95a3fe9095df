import { and, eq, isNull, or, sql } from "drizzle-orm";
import { db, type Executor, firstRow, type Transaction } from "../client";
import { isNotSince } from "../clock";
import { profiles, type User, users } from "../schema";

/** The user with an address, whatever its case; null if nobody has it. */
export async function findUserByEmail(
  email: string,
  executor: Executor = db(),
): Promise<User | null> {
  return firstRow(
    executor
      .select()
      .from(users)
      .where(eq(sql`lower(${users.email})`, email.toLowerCase()))
      .limit(1),
  );
}

/** Inserts a user with an empty profile; null, and nothing written, if the address is taken. */
export async function insertUser(
  user: { email: string; passwordHash: string; isPasswordGuessable?: boolean },
  executor: Executor = db(),
): Promise<User | null> {
  return executor.transaction(async (tx) => {
    const [inserted] = await tx.insert(users).values(user).onConflictDoNothing().returning();
    if (!inserted) return null;
    await tx.insert(profiles).values({ id: inserted.id });
    return inserted;
  });
}

/**
 * Replaces a user's hash by another; false, and nothing written, if `from` is no longer the user's hash, because
 * the password was changed meanwhile. Without `isPasswordGuessable`, that stays as it is.
 */
export async function replacePasswordHash(
  userId: string,
  { from, to, isPasswordGuessable }: { from: string; to: string; isPasswordGuessable?: boolean },
  executor: Executor = db(),
): Promise<boolean> {
  const { count } = await executor
    .update(users)
    .set({ passwordHash: to, isPasswordGuessable, updatedAt: new Date() })
    .where(and(eq(users.id, userId), eq(users.passwordHash, from)));
  return count > 0;
}

/**
 * Claims the notice of a sign-up attempt to an address and returns the address to mail; null if its owner has
 * been notified since `notSince`, or it has no account.
 */
export async function claimSignUpNotice(
  email: string,
  { now, notSince }: { now: Date; notSince: Date },
  executor: Executor = db(),
): Promise<string | null> {
  const [claimed] = await executor
    .update(users)
    .set({ signUpNoticeSentAt: now })
    .where(
      and(
        eq(sql`lower(${users.email})`, email.toLowerCase()),
        or(isNull(users.signUpNoticeSentAt), isNotSince(users.signUpNoticeSentAt, notSince, now)),
      ),
    )
    .returning({ email: users.email });
  return claimed?.email ?? null;
}

/** Sets a new password's hash, whatever the old one was. */
export async function updatePassword(
  userId: string,
  password: Pick<User, "passwordHash" | "isPasswordGuessable">,
  executor: Executor = db(),
): Promise<void> {
  await executor
    .update(users)
    .set({ ...password, updatedAt: new Date() })
    .where(eq(users.id, userId));
}

/** The user with an id; null if there is none. */
export async function findUserById(
  userId: string,
  executor: Executor = db(),
): Promise<User | null> {
  return firstRow(executor.select().from(users).where(eq(users.id, userId)).limit(1));
}

/** Whether an account's address is confirmed. */
export async function isEmailConfirmed(userId: string): Promise<boolean> {
  return (await findUserById(userId))?.emailConfirmedAt != null;
}

/** Records that an account's address is confirmed; false if it was already, or is another by now. */
export async function confirmEmail(
  { userId, email }: { userId: string; email: string },
  now: Date,
  executor: Executor = db(),
): Promise<boolean> {
  const { count } = await executor
    .update(users)
    .set({ emailConfirmedAt: now })
    .where(and(eq(users.id, userId), eq(users.email, email), isNull(users.emailConfirmedAt)));
  return count > 0;
}

/**
 * Claims the mail that asks to confirm an account's address; null if one was claimed since `notSince`, or the
 * address is confirmed.
 */
export async function claimEmailConfirmation(
  userId: string,
  { now, notSince }: { now: Date; notSince: Date },
  executor: Executor = db(),
): Promise<{ id: string; email: string } | null> {
  return firstRow(
    executor
      .update(users)
      .set({ confirmationSentAt: now })
      .where(
        and(
          eq(users.id, userId),
          isNull(users.emailConfirmedAt),
          or(isNull(users.confirmationSentAt), isNotSince(users.confirmationSentAt, notSince, now)),
        ),
      )
      .returning({ id: users.id, email: users.email }),
  );
}

/**
 * A user's address and password hash, neither of which can change until the transaction ends; null if there is no
 * such user.
 */
export async function holdUser(
  userId: string,
  tx: Transaction,
): Promise<Pick<User, "email" | "passwordHash"> | null> {
  return firstRow(
    tx
      .select({ email: users.email, passwordHash: users.passwordHash })
      .from(users)
      .where(eq(users.id, userId))
      .for("share"),
  );
}

/** The address of an account; null if there is none. */
export async function findEmailOfUser(
  userId: string,
  executor: Executor = db(),
): Promise<string | null> {
  return (await findUserById(userId, executor))?.email ?? null;
}

/** Stores a user's reading settings; with `unlessStored`, only if there are none. */
export async function updateReadingSettings(
  userId: string,
  readingSettings: User["readingSettings"],
  { unlessStored = false } = {},
): Promise<void> {
  await db()
    .update(users)
    .set({ readingSettings, updatedAt: new Date() })
    .where(and(eq(users.id, userId), unlessStored ? isNull(users.readingSettings) : undefined));
}
