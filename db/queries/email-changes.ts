import { and, eq, gt, isNotNull, isNull, ne, sql } from "drizzle-orm";
import { db, type Executor, firstRow, type Transaction } from "../client";
import { type EmailChange, emailChanges, profiles, subscribers, users } from "../schema";
import { liftConfirmedSuppression } from "./suppressed-addresses";

/** Records that an account's address is to change, in the place of a change that still waits. */
export async function insertEmailChange(
  change: Pick<EmailChange, "userId" | "oldEmail" | "newEmail" | "createdAt" | "expiresAt">,
  executor: Executor = db(),
): Promise<void> {
  await executor
    .insert(emailChanges)
    .values(change)
    .onConflictDoUpdate({
      target: emailChanges.userId,
      targetWhere: isNull(emailChanges.changedAt),
      set: { ...change, confirmTokenHash: null },
    });
}

/**
 * Sets the token of the first change to this address whose link has not been mailed; false if there is none. Several
 * accounts may want the address.
 */
export async function setConfirmToken(
  newEmail: string,
  { confirmTokenHash, now }: { confirmTokenHash: string; now: Date },
  tx: Transaction,
): Promise<boolean> {
  const [unmailed] = await tx
    .select({ id: emailChanges.id })
    .from(emailChanges)
    .where(
      and(
        eq(sql`lower(${emailChanges.newEmail})`, newEmail.toLowerCase()),
        isNull(emailChanges.confirmTokenHash),
        isNull(emailChanges.changedAt),
        gt(emailChanges.expiresAt, now),
      ),
    )
    .orderBy(emailChanges.createdAt)
    .limit(1)
    .for("update");
  if (!unmailed) return false;
  await tx.update(emailChanges).set({ confirmTokenHash }).where(eq(emailChanges.id, unmailed.id));
  return true;
}

export type EmailChangeLink = { kind: "confirm" | "undo"; tokenHash: string };

/** The change of an unused, unexpired link; null otherwise. */
export async function findEmailChange(
  link: EmailChangeLink,
  now: Date,
): Promise<EmailChange | null> {
  return firstRow(db().select().from(emailChanges).where(isOpen(link, now)).limit(1));
}

/** As `findEmailChange`, locked with its account until the caller's transaction ends, and the account's address. */
export async function lockEmailChange(
  link: EmailChangeLink,
  now: Date,
  tx: Transaction,
): Promise<(EmailChange & { currentEmail: string }) | null> {
  const [change] = await tx.select().from(emailChanges).where(isOpen(link, now)).for("update");
  if (!change) return null;
  const [user] = await tx
    .select({ email: users.email })
    .from(users)
    .where(eq(users.id, change.userId))
    .for("update");
  return user ? { ...change, currentEmail: user.email } : null;
}

function isOpen({ kind, tokenHash }: EmailChangeLink, now: Date) {
  const column = kind === "confirm" ? emailChanges.confirmTokenHash : emailChanges.undoTokenHash;
  return and(eq(column, tokenHash), gt(emailChanges.expiresAt, now));
}

/** Records that a change was made, and until when the holder of the undo link can undo it. */
export async function markEmailChanged(
  id: string,
  change: { undoTokenHash: string; changedAt: Date; expiresAt: Date },
  tx: Transaction,
): Promise<void> {
  await tx
    .update(emailChanges)
    .set({ ...change, confirmTokenHash: null })
    .where(eq(emailChanges.id, id));
}

/** Deletes a change and those of the same account that were asked for after it. */
export async function deleteEmailChangesSince(
  { id, userId, createdAt }: Pick<EmailChange, "id" | "userId" | "createdAt">,
  tx: Transaction,
): Promise<void> {
  await tx
    .delete(emailChanges)
    .where(
      and(
        eq(emailChanges.userId, userId),
        sql`(${emailChanges.id} = ${id} or ${emailChanges.createdAt} >= ${createdAt.toISOString()}::timestamptz)`,
      ),
    );
}

/**
 * Whether an address cannot be an account's: another account has it, or had it and can still undo its change. Run
 * after the write that depends on it, in its transaction, it also sees what was committed meanwhile.
 */
export async function isEmailTaken(
  email: string,
  { exceptFor, now }: { exceptFor: string | null; now: Date },
  executor: Executor = db(),
): Promise<boolean> {
  const address = email.toLowerCase();
  const [holder] = await executor
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        eq(sql`lower(${users.email})`, address),
        exceptFor === null ? undefined : ne(users.id, exceptFor),
      ),
    )
    .limit(1);
  if (holder) return true;
  return isEmailReserved(email, { exceptFor, now }, executor);
}

/** Whether another account had this address until lately, and its owner can still undo the change. */
export async function isEmailReserved(
  email: string,
  { exceptFor, now }: { exceptFor: string | null; now: Date },
  executor: Executor = db(),
): Promise<boolean> {
  const [reserved] = await executor
    .select({ id: emailChanges.id })
    .from(emailChanges)
    .where(
      and(
        eq(sql`lower(${emailChanges.oldEmail})`, email.toLowerCase()),
        isNotNull(emailChanges.changedAt),
        gt(emailChanges.expiresAt, now),
        exceptFor === null ? undefined : ne(emailChanges.userId, exceptFor),
      ),
    )
    .limit(1);
  return reserved !== undefined;
}

/**
 * Changes an account's address to one that its owner has confirmed, also for its newsletter subscription and, with the
 * next sync, for its customer at Stripe.
 */
export async function changeEmail(
  {
    userId,
    from,
    to,
    unsubscribeToken,
  }: { userId: string; from: string; to: string; unsubscribeToken: string },
  now: Date,
  tx: Transaction,
): Promise<void> {
  await tx
    .update(users)
    .set({ email: to, emailConfirmedAt: now, updatedAt: now })
    .where(eq(users.id, userId));
  await tx
    .update(profiles)
    .set({ isEmailDueAtStripe: true, syncDueAt: now, updatedAt: now })
    .where(and(eq(profiles.id, userId), isNotNull(profiles.stripeCustomerId)));
  const [old] = await tx
    .delete(subscribers)
    .where(eq(sql`lower(${subscribers.email})`, from.toLowerCase()))
    .returning();
  if (!old) return;
  await tx
    .insert(subscribers)
    .values({ ...old, email: to, unsubscribeToken })
    .onConflictDoNothing();
  if (old.confirmedAt === null) return;
  await liftConfirmedSuppression(to, tx, "unsubscribed");
  // the new address may have been on the list already, waiting to be confirmed
  await tx
    .update(subscribers)
    .set({ confirmedAt: now })
    .where(
      and(eq(sql`lower(${subscribers.email})`, to.toLowerCase()), isNull(subscribers.confirmedAt)),
    );
}
