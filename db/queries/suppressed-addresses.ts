import { and, eq, type SQL, sql } from "drizzle-orm";
import { addressHash } from "../address-hash";
import { db, type Executor } from "../client";
import { subscribers, suppressedAddresses } from "../schema";
import {
  isOwnersWish,
  isReasonThat,
  SUPPRESSION_REASONS,
  type SuppressionReason,
} from "../suppression-reasons";

/** Why an address is on the suppression list; null if it is not. */
export async function findSuppressionReason(email: string): Promise<SuppressionReason | null> {
  const [found] = await db()
    .select({ reason: suppressedAddresses.reason })
    .from(suppressedAddresses)
    .where(eq(suppressedAddresses.addressHash, addressHash(email)));
  return found?.reason ?? null;
}

/** How many of the given addresses were newly suppressed, and how many of the list were deleted. */
export type SuppressionCounts = { suppressed: number; deleted: number };

/**
 * Puts addresses on the suppression list, unless a reason of at least the same rank is there. If it is their owners'
 * wish, they are also deleted from the newsletter's list. The addresses are distinct.
 */
export async function suppressAddresses(
  emails: string[],
  reason: SuppressionReason,
  executor: Executor = db(),
): Promise<SuppressionCounts> {
  const leavesList = isOwnersWish(SUPPRESSION_REASONS[reason]);
  const [counts] = await executor.execute<SuppressionCounts>(sql`
    with listed as materialized (${valuesOf(emails)}),
    written as (${suppressionOf(sql`listed`, reason)}),
    gone as (
      delete from ${subscribers} using listed
      where ${leavesList}::boolean and lower(${subscribers.email}) = lower(listed.email)
      returning 1
    )
    select (select count(*)::int from written) as suppressed, (select count(*)::int from gone) as deleted`);
  return counts ?? { suppressed: 0, deleted: 0 };
}

/**
 * Deletes a subscriber whose owner has left, and keeps the address out of imports by its hash, in one statement.
 * Returns the row's id; null if the condition finds nobody.
 */
export async function unsubscribeWhere(
  condition: SQL,
  executor: Executor = db(),
): Promise<string | null> {
  const [gone] = await executor.execute<{ id: string }>(sql`
    with gone as (delete from ${subscribers} where ${condition} returning id, email),
    written as (${suppressionOf(sql`gone`, "unsubscribed")})
    select id from gone`);
  return gone?.id ?? null;
}

/** Takes addresses off the suppression list if the operator may do so; returns how many. */
export async function liftSuppressions(emails: string[]): Promise<number> {
  const { count } = await db().execute(sql`
    with listed as materialized (${valuesOf(emails)})
    delete from ${suppressedAddresses} using listed
    where address_hash = ${addressHash(sql`email`)}
      and not ${isReasonThat(sql`reason`, isOwnersWish)}`);
  return count;
}

/**
 * Takes an address off the suppression list, whatever the reason or for one alone: its owner has shown that mail is
 * wanted.
 */
export async function liftConfirmedSuppression(
  email: string,
  executor: Executor,
  reason?: SuppressionReason,
): Promise<void> {
  const isReason = reason && eq(suppressedAddresses.reason, reason);
  await executor
    .delete(suppressedAddresses)
    .where(and(eq(suppressedAddresses.addressHash, addressHash(email)), isReason));
}

/** The statement that suppresses the addresses of a table with the column `email`. */
function suppressionOf(table: SQL, reason: SuppressionReason): SQL {
  const { rank } = SUPPRESSION_REASONS[reason];
  return sql`
    insert into ${suppressedAddresses} as existing (address_hash, reason)
    select ${addressHash(sql`email`)}, ${reason} from ${table} order by email
    on conflict (address_hash) do update set
      reason = excluded.reason, reply = excluded.reply, created_at = excluded.created_at
    where ${isReasonThat(sql`existing.reason`, (rules) => rules.rank < rank)}
    returning 1`;
}

/** A table of one column, `email`. As JSON, since a list of parameters would be a new statement for each length. */
function valuesOf(emails: string[]): SQL {
  return sql`select value as email from json_array_elements_text(${JSON.stringify(emails)}::json)`;
}
