import { and, count, desc, eq, gte, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { addressHash } from "../address-hash";
import { type Executor, getDatabase } from "../client";
import { type SuppressionReason, subscribers, suppressedAddresses } from "../schema";
import type { NewSubscriber } from "./subscribers";

/**
 * The outcome for an imported address: `added`, or `confirmed` if it was on the list without confirmation;
 * `repeated` if the same import added it before, `known` if it was on the list; else why it is suppressed.
 */
export type ListingOutcome =
  | { kind: "added" | "confirmed" | "repeated" | "known" }
  | { kind: "suppressed"; reason: SuppressionReason };

/**
 * Adds addresses, in lower case and distinct, as confirmed with the source of their owners' consent; `now` identifies
 * the import. Suppressed addresses are not added, and confirmed ones do not change. Returns the outcome of each
 * address.
 */
export async function insertListedSubscribers(
  listed: NewSubscriber[],
  { source, now }: { source: string; now: Date },
): Promise<Map<string, ListingOutcome>> {
  const at = now.toISOString();
  const rows = await getDatabase().db.execute<{
    email: string;
    reason: SuppressionReason | null;
    inserted: boolean | null;
    listedAt: boolean | null;
  }>(sql`
    with listed as materialized (
      select given.email, given."unsubscribeToken" as token, suppressed.reason
      from json_to_recordset(${JSON.stringify(listed)}::json) given (email text, "unsubscribeToken" text)
      left join ${suppressedAddresses} suppressed
        on suppressed.address_hash = ${addressHash(sql`given.email`)}
    ), written as (
      insert into ${subscribers} as existing
        (email, unsubscribe_token, confirmed_at, consent_source, consent_recorded_at)
      select email, token, ${at}::timestamptz, ${source}, ${at}::timestamptz
      from listed where reason is null
      -- in one order, so that imports of the same addresses wait for each other but never in a circle
      order by email
      on conflict (lower(email)) do update set
        unsubscribe_token = excluded.unsubscribe_token,
        confirmed_at = excluded.confirmed_at,
        consent_source = excluded.consent_source,
        consent_recorded_at = excluded.consent_recorded_at
      where existing.confirmed_at is null
      -- a row that an insert has updated has been locked
      returning lower(email) as email, xmax = 0 as inserted
    )
    select listed.email, listed.reason, written.inserted,
      -- not a join, which a plan made for a small table would do by reading all of a large one
      (select before.consent_recorded_at = ${at}::timestamptz from ${subscribers} before
       where lower(before.email) = listed.email) as "listedAt"
    from listed
    left join written on written.email = listed.email`);
  return new Map(rows.map(({ email, ...row }) => [email, outcomeOf(row)]));
}

function outcomeOf({
  reason,
  inserted,
  listedAt,
}: {
  reason: SuppressionReason | null;
  inserted: boolean | null;
  listedAt: boolean | null;
}): ListingOutcome {
  if (reason !== null) return { kind: "suppressed", reason };
  if (inserted !== null) return { kind: inserted ? "added" : "confirmed" };
  return { kind: listedAt ? "repeated" : "known" };
}

/** Deletes an address from the list, whatever its case; false if it was not on it. */
export async function deleteSubscriberByEmail(email: string): Promise<boolean> {
  const { db } = getDatabase();
  const { count } = await db
    .delete(subscribers)
    .where(eq(sql`lower(${subscribers.email})`, email.toLowerCase()));
  return count > 0;
}

/** A part of the list: addresses that get the newsletter, are not confirmed, or are suppressed. */
export type SubscriberGroup = "reached" | "unconfirmed" | "suppressed";

export type ListedSubscriber = {
  email: string;
  createdAt: Date;
  confirmedAt: Date | null;
  consentSource: string | null;
  consentRecordedAt: Date | null;
  suppression: SuppressionReason | null;
};

/** The subscribers of a group that joined last, newest first; only those whose address contains `match`. */
export async function findNewestSubscribers({
  group,
  match,
  limit,
}: {
  group: SubscriberGroup;
  match: string;
  limit: number;
}): Promise<ListedSubscriber[]> {
  return selectSubscribers(getDatabase().db)
    .where(and(isIn(group), matches(match)))
    .orderBy(desc(subscribers.createdAt), subscribers.id)
    .limit(limit);
}

/** How many subscribers of a group have an address that contains `match`. */
export async function countSubscribers(
  { group, match }: { group: SubscriberGroup; match: string },
  executor: Executor = getDatabase().db,
): Promise<number> {
  const [row] = await executor
    .select({ count: count() })
    .from(subscribers)
    .leftJoin(suppressedAddresses, isSuppressed)
    .where(and(isIn(group), matches(match)));
  return row?.count ?? 0;
}

export type ReachedSubscriber = Pick<
  ListedSubscriber,
  "email" | "confirmedAt" | "consentSource" | "consentRecordedAt"
>;

/**
 * Passes on all subscribers that the newsletter reaches, `size` at a time, as they were at one moment. A cursor sorts
 * the table only once.
 */
export async function readReachedSubscribers(
  size: number,
  onPage: (page: ReachedSubscriber[]) => Promise<void>,
): Promise<void> {
  await getDatabase().db.transaction(async (tx) => {
    await tx.execute(sql`
      declare reached no scroll cursor for ${selectSubscribers(tx).where(isIn("reached"))}`);
    for (;;) {
      const rows = await tx.execute<Record<string, string | null>>(
        sql`fetch ${sql.raw(String(size))} from reached`,
      );
      if (rows.length === 0) return;
      await onPage(
        rows.map((row) => ({
          email: String(row.email),
          confirmedAt: dateOf(row.confirmed_at),
          consentSource: row.consent_source ?? null,
          consentRecordedAt: dateOf(row.consent_recorded_at),
        })),
      );
    }
  });
}

function dateOf(text: string | null | undefined): Date | null {
  return text ? new Date(text) : null;
}

export type SubscriberStatistics = {
  reached: number;
  unconfirmed: number;
  /** Subscribers on the suppression list, by reason. */
  suppressed: Record<SuppressionReason, number>;
  /** Of those reached, the number that joined since. */
  joinedSince: number;
  /** Of those reached, the sources of consent, most frequent first; null is the site's own form. */
  sources: { source: string | null; count: number }[];
};

/** Counts the list; `since` is for `joinedSince`, and `maxSources` limits the list of sources. */
export async function countSubscriberList(
  { since, maxSources }: { since: Date; maxSources: number },
  executor: Executor = getDatabase().db,
): Promise<SubscriberStatistics> {
  const groups = await executor
    .select({
      isConfirmed: sql<boolean>`${subscribers.confirmedAt} is not null`,
      reason: suppressedAddresses.reason,
      count: count(),
      joinedSince: sql<number>`count(*) filter (where ${gte(subscribers.createdAt, since)})::int`,
    })
    .from(subscribers)
    .leftJoin(suppressedAddresses, isSuppressed)
    .groupBy(sql`1`, sql`2`);
  const sources = await executor
    .select({ source: subscribers.consentSource, count: count() })
    .from(subscribers)
    .leftJoin(suppressedAddresses, isSuppressed)
    .where(isIn("reached"))
    .groupBy(subscribers.consentSource)
    .orderBy(desc(count()), subscribers.consentSource)
    .limit(maxSources);
  const sum = (of: (group: (typeof groups)[number]) => boolean) =>
    groups.filter(of).reduce((total, group) => total + group.count, 0);
  const reached = groups.find((group) => group.isConfirmed && group.reason === null);
  return {
    reached: reached?.count ?? 0,
    unconfirmed: sum((group) => !group.isConfirmed && group.reason === null),
    suppressed: {
      "hard-bounce": sum(({ reason }) => reason === "hard-bounce"),
      complaint: sum(({ reason }) => reason === "complaint"),
      listed: sum(({ reason }) => reason === "listed"),
    },
    joinedSince: reached?.joinedSince ?? 0,
    sources,
  };
}

const isSuppressed = eq(suppressedAddresses.addressHash, addressHash(subscribers.email));

function selectSubscribers(executor: Executor) {
  return executor
    .select({
      email: subscribers.email,
      createdAt: subscribers.createdAt,
      confirmedAt: subscribers.confirmedAt,
      consentSource: subscribers.consentSource,
      consentRecordedAt: subscribers.consentRecordedAt,
      suppression: suppressedAddresses.reason,
    })
    .from(subscribers)
    .leftJoin(suppressedAddresses, isSuppressed);
}

function isIn(group: SubscriberGroup): SQL | undefined {
  switch (group) {
    case "reached":
      return and(isNotNull(subscribers.confirmedAt), isNull(suppressedAddresses.reason));
    case "unconfirmed":
      return and(isNull(subscribers.confirmedAt), isNull(suppressedAddresses.reason));
    case "suppressed":
      return isNotNull(suppressedAddresses.reason);
  }
}

function matches(text: string): SQL | undefined {
  if (text === "") return undefined;
  return sql`strpos(lower(${subscribers.email}), ${text.toLowerCase()}) > 0`;
}
