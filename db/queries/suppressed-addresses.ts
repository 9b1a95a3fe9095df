import { eq, type SQL, sql } from "drizzle-orm";
import { addressHash } from "../address-hash";
import { type Executor, getDatabase } from "../client";
import { type SuppressionReason, subscribers, suppressedAddresses } from "../schema";

/** Whether an address is on the suppression list. */
export async function isAddressSuppressed(email: string): Promise<boolean> {
  const { db } = getDatabase();
  const found = await db
    .select({ reason: suppressedAddresses.reason })
    .from(suppressedAddresses)
    .where(eq(suppressedAddresses.addressHash, addressHash(email)));
  return found.length > 0;
}

/** How many of the given addresses were newly suppressed, and how many of the list were deleted. */
export type SuppressionCounts = { suppressed: number; deleted: number };

/**
 * Puts addresses on the suppression list. The first reason stays, but for a complaint, which replaces any other.
 * Owners who complained are also deleted from the newsletter's list. The addresses are distinct.
 */
export async function suppressAddresses(
  emails: string[],
  reason: SuppressionReason,
): Promise<SuppressionCounts> {
  const [counts] = await getDatabase().db.execute<SuppressionCounts>(sql`
    with listed as materialized (${valuesOf(emails)}), written as (
      insert into ${suppressedAddresses} as existing (address_hash, reason)
      select ${addressHash(sql`email`)}, ${reason} from listed order by email
      on conflict (address_hash) do update set
        reason = excluded.reason, reply = excluded.reply, created_at = excluded.created_at
      where excluded.reason = 'complaint' and existing.reason <> 'complaint'
      returning 1
    ), gone as (
      delete from ${subscribers} using listed
      where ${reason} = 'complaint' and lower(${subscribers.email}) = lower(listed.email)
      returning 1
    )
    select (select count(*)::int from written) as suppressed, (select count(*)::int from gone) as deleted`);
  return counts ?? { suppressed: 0, deleted: 0 };
}

/** Takes addresses off the suppression list, except those whose owner complained; returns how many. */
export async function liftSuppressions(emails: string[]): Promise<number> {
  const lifted = await getDatabase().db.execute(sql`
    with listed as materialized (${valuesOf(emails)})
    delete from ${suppressedAddresses} using listed
    where address_hash = ${addressHash(sql`email`)} and reason <> 'complaint'
    returning 1`);
  return lifted.length;
}

/** Takes an address off the suppression list, whatever the reason: its owner has confirmed that mail is wanted. */
export async function liftConfirmedSuppression(
  email: string,
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor
    .delete(suppressedAddresses)
    .where(eq(suppressedAddresses.addressHash, addressHash(email)));
}

/** A table of one column, `email`. As JSON, since a list of parameters would be a new statement for each length. */
function valuesOf(emails: string[]): SQL {
  return sql`select value as email from json_array_elements_text(${JSON.stringify(emails)}::json)`;
}
