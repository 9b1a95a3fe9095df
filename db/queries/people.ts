import { eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { addressHash } from "../address-hash";
import { db, firstRow } from "../client";
import { profiles, subscribers, suppressedAddresses, users } from "../schema";
import { isReasonThat, type SuppressionReason } from "../suppression-reasons";
import { givesAccess, isUnpaid } from "./profiles";

/** A part of all people: every address, those with an account, with access, or of the newsletter's list. */
export type PeopleGroup =
  | "all"
  | "members"
  | "accounts"
  | "subscribers"
  | "unconfirmed"
  | "suppressed";

/** An address as an account and as a subscriber; what it is not is null. Days are in UTC, as in 2027-06-30. */
export type ListedPerson = {
  email: string;
  accountId: string | null;
  accountSince: string | null;
  isEmailConfirmed: boolean;
  /** The end of access, if it lies in the future. */
  premiumUntil: string | null;
  isComplimentary: boolean;
  subscriberId: string | null;
  subscribedSince: string | null;
  isSubscriptionConfirmed: boolean;
  suppression: SuppressionReason | null;
};

type PeopleFilter = {
  group: PeopleGroup;
  /** Part of the addresses. */
  match: string;
  /** The address that the page follows, or that follows the page; null for the first page. */
  beside: { email: string; isBefore: boolean } | null;
  limit: number;
};

/**
 * Addresses in alphabetical order, at most `limit`. Each table is read by its index of addresses from where the page begins, and
 * what belongs to them is looked up for these rows alone. With `match`, both are read and sorted whole, as in `findMembers`.
 */
export async function findPeople(filter: PeopleFilter): Promise<ListedPerson[]> {
  const limit = sql`limit ${filter.limit}::int`;
  const direction = sql.raw(filter.beside?.isBefore ? "desc" : "asc");
  const addresses = TABLES[filter.group].map((table) => {
    const address = sql`lower(${table.email})`;
    const order = filter.match === "" ? address : sql`${address} || ''`;
    return sql`(select ${address} as address from ${table}
      where ${sql.join(conditionsOf(filter, address), sql` and `)}
      order by ${order} ${direction} ${limit})`;
  });
  return db().execute<ListedPerson>(sql`
    with found as materialized (
      select address from (${sql.join(addresses, sql` union `)}) addresses
      order by address ${direction} ${limit}
    )
    select coalesce(${users.email}, ${subscribers.email}) as email,
      ${users.id} as "accountId",
      ${dayOf(users.createdAt)} as "accountSince",
      ${users.emailConfirmedAt} is not null as "isEmailConfirmed",
      case when ${givesAccess()} then ${dayOf(profiles.stripeCurrentPeriodEnd)} end as "premiumUntil",
      ${isUnpaid()} as "isComplimentary",
      ${subscribers.id} as "subscriberId",
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

/** The tables with the addresses of each group. */
const TABLES: Record<PeopleGroup, (typeof users | typeof subscribers)[]> = {
  all: [users, subscribers],
  members: [users],
  accounts: [users],
  subscribers: [subscribers],
  unconfirmed: [subscribers],
  suppressed: [users, subscribers],
};

function conditionsOf({ group, match, beside }: PeopleFilter, address: SQL): SQL[] {
  const conditions = [CONDITIONS[group](address)];
  if (match !== "") conditions.push(sql`strpos(${address}, ${match.toLowerCase()}) > 0`);
  if (beside) {
    const than = sql.raw(beside.isBefore ? "<" : ">");
    conditions.push(sql`${address} ${than} lower(${beside.email})`);
  }
  return conditions;
}

const EVERYBODY = () => sql`true`;

/** Who of these tables belongs to each group. */
const CONDITIONS: Record<PeopleGroup, (address: SQL) => SQL> = {
  all: EVERYBODY,
  members: () =>
    sql`exists (select from ${profiles} where ${profiles.id} = ${users.id} and ${givesAccess()})`,
  accounts: EVERYBODY,
  subscribers: () => sql`${subscribers.confirmedAt} is not null`,
  unconfirmed: () => sql`${subscribers.confirmedAt} is null`,
  // without those who have unsubscribed, among them many members
  suppressed: (address) => sql`exists (
    select from ${suppressedAddresses} where ${suppressedAddresses.addressHash} = ${addressHash(address)}
      and ${isReasonThat(sql`${suppressedAddresses.reason}`, ({ stopsNotices }) => stopsNotices)})`,
};

const dayOf = (instant: PgColumn) => sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD')`;

/** What names a person in addresses of pages, without the email address: an account's or a subscriber's id. */
export type PersonKey = { kind: "account" | "subscriber"; id: string };

/** The address of a person; null if there is none any more. */
export async function findEmailOf({ kind, id }: PersonKey): Promise<string | null> {
  const table = kind === "account" ? users : subscribers;
  const found = await firstRow(
    db().select({ email: table.email }).from(table).where(eq(table.id, id)),
  );
  return found?.email ?? null;
}
