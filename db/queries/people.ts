import { eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { addressHash } from "../address-hash";
import { db, firstRow } from "../client";
import { profiles, subscribers, suppressedAddresses, users } from "../schema";
import { isReasonThat, type SuppressionReason } from "../suppression-reasons";
import { givesAccess, isUnpaid } from "./profiles";

/** A part of all people: every address, those with access, with an account, or of the newsletter's list. */
export type PeopleGroup = keyof typeof GROUPS;

/** An address as an account and as a subscriber; what it is not is null. Days are in UTC, as in 2027-06-30. */
export type ListedPerson = {
  email: string;
  /** The id of the account; of the subscriber, if there is none. */
  key: string;
  accountSince: string | null;
  isEmailConfirmed: boolean;
  /** The end of access, if it lies in the future. */
  premiumUntil: string | null;
  isComplimentary: boolean;
  subscribedSince: string | null;
  isSubscriptionConfirmed: boolean;
  suppression: SuppressionReason | null;
};

const hasAccess = sql`exists (
  select from ${profiles} where ${profiles.id} = ${users.id} and ${givesAccess()})`;

/** Those whom notices don't reach either: without who has unsubscribed, among them many members. */
const isSuppressed = ({ email }: { email: PgColumn }) => sql`exists (
  select from ${suppressedAddresses} where ${suppressedAddresses.addressHash} = ${addressHash(email)}
    and ${isReasonThat(sql`${suppressedAddresses.reason}`, ({ stopsNotices }) => stopsNotices)})`;

/** The tables with each group's addresses, and which of their rows belong to it. */
const GROUPS = {
  all: [[users, sql`true`] as const, [subscribers, sql`true`] as const],
  members: [[users, hasAccess] as const],
  accounts: [[users, sql`true`] as const],
  subscribers: [[subscribers, sql`${subscribers.confirmedAt} is not null`] as const],
  unconfirmed: [[subscribers, sql`${subscribers.confirmedAt} is null`] as const],
  suppressed: [users, subscribers].map((table) => [table, isSuppressed(table)] as const),
};

/**
 * Addresses of a group that contain `match`, in alphabetical order after `after`, at most `limit`. Each table is read by its
 * index of addresses from there on, and what belongs to them is looked up for these rows alone. With `match`, both are read and
 * sorted whole, as in `findMembers`.
 */
export async function findPeople(
  group: PeopleGroup,
  { match, after, limit }: { match: string; after: string | null; limit: number },
): Promise<ListedPerson[]> {
  const tables = GROUPS[group].map(([table, isIn]): SQL => {
    const address = sql`lower(${table.email})`;
    const order = match === "" ? address : sql`${address} || ''`;
    const follows = after === null ? sql`true` : sql`${address} > lower(${after})`;
    return sql`(select ${address} as address from ${table}
      where ${isIn} and ${follows} and strpos(${address}, ${match.toLowerCase()}) > 0
      order by ${order} limit ${limit}::int)`;
  });
  return db().execute<ListedPerson>(sql`
    with found as materialized (
      select address from (${sql.join(tables, sql` union `)}) addresses
      order by address limit ${limit}::int
    )
    select coalesce(${users.email}, ${subscribers.email}) as email,
      coalesce(${users.id}, ${subscribers.id}) as key,
      ${dayOf(users.createdAt)} as "accountSince",
      ${users.emailConfirmedAt} is not null as "isEmailConfirmed",
      case when ${givesAccess()} then ${dayOf(profiles.stripeCurrentPeriodEnd)} end as "premiumUntil",
      ${isUnpaid()} as "isComplimentary",
      ${dayOf(subscribers.createdAt)} as "subscribedSince",
      ${subscribers.confirmedAt} is not null as "isSubscriptionConfirmed",
      ${suppressedAddresses.reason} as suppression
    from found
    left join ${users} on lower(${users.email}) = found.address
    left join ${profiles} on ${profiles.id} = ${users.id}
    left join ${subscribers} on lower(${subscribers.email}) = found.address
    left join ${suppressedAddresses}
      on ${suppressedAddresses.addressHash} = ${addressHash(sql`found.address`)}
    order by found.address`);
}

const dayOf = (instant: PgColumn) => sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD')`;

/** The address of an account or a subscriber; null if there is none (any more). */
export async function findEmailOf(id: string): Promise<string | null> {
  const emailIn = (table: typeof users | typeof subscribers) =>
    db().select({ email: table.email }).from(table).where(eq(table.id, id));
  return (await firstRow(emailIn(users).unionAll(emailIn(subscribers))))?.email ?? null;
}
