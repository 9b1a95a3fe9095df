import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { type SuppressionReason, suppressedAddresses } from "../schema";

/**
 * Puts an address on the suppression list; false, with nothing written, if it is there already. A complaint
 * replaces any other reason, since it is never lifted by a mail that arrives; otherwise the first reason stays.
 */
export async function suppressAddress(
  addressHash: Buffer | SQL<Buffer>,
  { reason, reply = null }: { reason: SuppressionReason; reply?: string | null },
  executor: Executor = getDatabase().db,
): Promise<boolean> {
  const written = await executor
    .insert(suppressedAddresses)
    .values({ addressHash, reason, reply })
    .onConflictDoUpdate({
      target: suppressedAddresses.addressHash,
      set: { reason, reply, createdAt: sql`now()` },
      setWhere: and(
        sql`excluded.reason = 'complaint'`,
        ne(suppressedAddresses.reason, "complaint"),
      ),
    })
    .returning({ reason: suppressedAddresses.reason });
  return written.length > 0;
}

/** Lifts a suppression for a hard bounce, because a mail to the address was accepted; no other reason. */
export async function liftHardBounce(
  addressHash: Buffer | SQL<Buffer>,
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor
    .delete(suppressedAddresses)
    .where(
      and(
        eq(suppressedAddresses.addressHash, addressHash),
        eq(suppressedAddresses.reason, "hard-bounce"),
      ),
    );
}

/** Lifts any suppression of an address, because its owner has confirmed that mail arrives and is wanted. */
export async function liftSuppression(
  addressHash: Buffer | SQL<Buffer>,
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor
    .delete(suppressedAddresses)
    .where(eq(suppressedAddresses.addressHash, addressHash));
}
