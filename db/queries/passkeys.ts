import { and, asc, eq, gte, lt, or } from "drizzle-orm";
import { db, type Executor, firstRow, type Transaction } from "../client";
import { type Passkey, passkeys, usedChallenges, users } from "../schema";

/** A passkey as its owner sees it, and as their browser is asked for it. */
export type ListedPasskey = Pick<
  Passkey,
  "id" | "name" | "transports" | "createdAt" | "lastUsedAt"
>;

/** The passkeys of a user, in the order in which they were added. */
export async function listPasskeys(
  userId: string,
  executor: Executor = db(),
): Promise<ListedPasskey[]> {
  return executor
    .select({
      id: passkeys.id,
      name: passkeys.name,
      transports: passkeys.transports,
      createdAt: passkeys.createdAt,
      lastUsedAt: passkeys.lastUsedAt,
    })
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(asc(passkeys.createdAt), passkeys.id);
}

/** How many passkeys a user has. */
export async function countPasskeys(userId: string, executor: Executor = db()): Promise<number> {
  return executor.$count(passkeys, eq(passkeys.userId, userId));
}

/** A passkey of any user by its credential's id; null if there is none. */
export async function findPasskey(id: string, executor: Executor = db()): Promise<Passkey | null> {
  return firstRow(executor.select().from(passkeys).where(eq(passkeys.id, id)).limit(1));
}

/**
 * Adds a passkey to a user who has fewer than `most`. "taken", with nothing written, if its credential is
 * registered already. The lock on the user's row counts one addition after the other, without holding up log-ins
 * for longer than this transaction.
 */
export async function insertPasskey(
  passkey: Pick<Passkey, "id" | "userId" | "name" | "publicKey" | "counter" | "transports">,
  most: number,
  tx: Transaction,
): Promise<"inserted" | "taken" | "too-many" | "no-user"> {
  const [owner] = await tx
    .select({ id: users.id })
    .from(users)
    .where(eq(users.id, passkey.userId))
    .for("no key update");
  if (!owner) return "no-user";
  if ((await countPasskeys(passkey.userId, tx)) >= most) return "too-many";
  const inserted = await tx
    .insert(passkeys)
    .values(passkey)
    .onConflictDoNothing()
    .returning({ id: passkeys.id });
  return inserted.length > 0 ? "inserted" : "taken";
}

/**
 * Records that a passkey was used, and its authenticator's new counter. False, with nothing written, if the passkey is
 * gone, or if the authenticator has a counter that did not increase (WebAuthn, 6.1.1). In that case the response was
 * replayed or the authenticator cloned.
 */
export async function recordPasskeyUse(
  { id, userId, counter, at }: { id: string; userId: string; counter: number; at: Date },
  executor: Executor = db(),
): Promise<boolean> {
  const hasNone = counter === 0 ? eq(passkeys.counter, 0) : undefined;
  const { count } = await executor
    .update(passkeys)
    .set({ counter, lastUsedAt: at })
    .where(
      and(
        eq(passkeys.id, id),
        eq(passkeys.userId, userId),
        or(lt(passkeys.counter, counter), hasNone),
      ),
    );
  return count > 0;
}

/** Renames a passkey of a user; false if the user has none with this id. */
export async function renamePasskey({
  userId,
  id,
  name,
}: {
  userId: string;
  id: string;
  name: string;
}): Promise<boolean> {
  const { count } = await db()
    .update(passkeys)
    .set({ name })
    .where(and(eq(passkeys.userId, userId), eq(passkeys.id, id)));
  return count > 0;
}

/** Deletes a passkey of a user and returns its name; null if the user has none with this id. */
export async function deletePasskey(
  userId: string,
  id: string,
  executor: Executor = db(),
): Promise<string | null> {
  const [gone] = await executor
    .delete(passkeys)
    .where(and(eq(passkeys.userId, userId), eq(passkeys.id, id)))
    .returning({ name: passkeys.name });
  return gone?.name ?? null;
}

/**
 * Uses a challenge up by its SHA-256; false if it was used before. A concurrent transaction that uses it as well
 * waits here for the first one's end.
 */
export async function spendChallenge(
  challengeHash: string,
  expiresAt: Date,
  executor: Executor = db(),
): Promise<boolean> {
  const { count } = await executor
    .insert(usedChallenges)
    .values({ challengeHash, expiresAt })
    .onConflictDoNothing();
  return count > 0;
}

/** Removes the passkeys that were added to an account since an instant; returns their number. */
export async function deletePasskeysSince(
  userId: string,
  since: Date,
  executor: Executor = db(),
): Promise<number> {
  const { count } = await executor
    .delete(passkeys)
    .where(and(eq(passkeys.userId, userId), gte(passkeys.createdAt, since)));
  return count;
}
