import { and, count, desc, eq, gte, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { addressHash } from "../address-hash";
import { db, type Executor, type Transaction } from "../client";
import { subscribers, suppressedAddresses } from "../schema";
import { isOwnersWish, isReasonThat, type SuppressionReason } from "../suppression-reasons";
import type { NewSubscriber } from "./subscribers";

/**
 * The outcome for an imported address: `added`, or `confirmed` if it was on the list without confirmation;
 * `repeated` if the same import added it before, `known` if it was on the list; else why it is suppressed.
 */
export type ListingOutcome =
  | { kind: "added" | "confirmed" | "repeated" | "known" }
  | { kind: "suppressed"; reason: SuppressionReason };

/** An address to list, and when its owner consented; null if that is not known. */
export type NewListing = NewSubscriber & { consentAt: Date | null };

/**
 * Adds addresses, in lower case and distinct, as confirmed with the source of their owners' consent; `now` identifies
 * the import. Suppressed addresses are not added, and confirmed ones do not change. Returns the outcome of each
 * address.
 */
export async function insertListedSubscribers(
  listed: NewListing[],
  { source, now }: { source: string; now: Date },
): Promise<Map<string, ListingOutcome>> {
  const at = now.toISOString();
  const insertion = sql`
    with listed as materialized (
      select given.email, given."unsubscribeToken" as token, suppressed.reason,
        coalesce(given."consentAt", ${at}::timestamptz) as consent_at
      from json_to_recordset(${JSON.stringify(listed)}::json)
        given (email text, "unsubscribeToken" text, "consentAt" timestamptz)
      left join ${suppressedAddresses} suppressed
        on suppressed.address_hash = ${addressHash(sql`given.email`)}
    ), written as (
      insert into ${subscribers} as existing
        (email, unsubscribe_token, confirmed_at, consent_source, consent_recorded_at)
      select email, token, consent_at, ${source}, ${at}::timestamptz
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
    left join written on written.email = listed.email`;
  return db().transaction(async (tx) => {
    const rows = await tx.execute<InsertedRow>(insertion);
    const outcomes = new Map(rows.map(({ email, ...row }) => [email, outcomeOf(row)]));
    // an owner may have left after the insertion read the suppressions, and before it wrote the address again
    const added = rows.filter(({ inserted }) => inserted !== null).map(({ email }) => email);
    for (const { email, reason } of await findDeparted(added, tx)) {
      await tx.delete(subscribers).where(eq(sql`lower(${subscribers.email})`, email));
      outcomes.set(email, { kind: "suppressed", reason });
    }
    return outcomes;
  });
}

/** Of addresses in lower case, those whose owners have left, and why. */
async function findDeparted(emails: string[], tx: Transaction) {
  return tx.execute<{ email: string; reason: SuppressionReason }>(sql`
    select given.email, suppressed.reason
    from json_array_elements_text(${JSON.stringify(emails)}::json) given (email)
    join ${suppressedAddresses} suppressed on suppressed.address_hash = ${addressHash(sql`given.email`)}
    where ${isReasonThat(sql`suppressed.reason`, isOwnersWish)}`);
}

type InsertedRow = {
  email: string;
  reason: SuppressionReason | null;
  inserted: boolean | null;
  listedAt: boolean | null;
};

function outcomeOf({ reason, inserted, listedAt }: Omit<InsertedRow, "email">): ListingOutcome {
  if (reason !== null) return { kind: "suppressed", reason };
  if (inserted !== null) return { kind: inserted ? "added" : "confirmed" };
  return { kind: listedAt ? "repeated" : "known" };
}

/** What an import would find about an address: why it is suppressed, or what would become of it. */
export type FoundListing = {
  reason: SuppressionReason | null;
  kind: "added" | "confirmed" | "known";
  /** Whether it is confirmed, and its owner entered it on the site. */
  isOwn: boolean;
};

/** Finds what is stored about addresses in lower case. */
export async function findListings(emails: string[]): Promise<Map<string, FoundListing>> {
  const rows = await db().execute<FoundListing & { email: string }>(sql`
    select given.email, suppressed.reason,
      case when listed.id is null then 'added' when listed.confirmed_at is null then 'confirmed'
        else 'known' end as kind,
      listed.confirmed_at is not null and listed.consent_source is null as "isOwn"
    from json_array_elements_text(${JSON.stringify(emails)}::json) given (email)
    left join ${subscribers} listed on lower(listed.email) = given.email
    left join ${suppressedAddresses} suppressed
      on suppressed.address_hash = ${addressHash(sql`given.email`)}`);
  return new Map(rows.map(({ email, ...found }) => [email, found]));
}

/** A part of the list: addresses that get the newsletter, are not confirmed, or are suppressed. */
export type SubscriberGroup = "reached" | "unconfirmed" | "suppressed";

/** Subscribers of a group whose address contains `match`. */
type SubscriberFilter = { group: SubscriberGroup; match: string };

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
}: SubscriberFilter & { limit: number }): Promise<ListedSubscriber[]> {
  return selectSubscribers(db())
    .where(and(isIn(group), matches(match)))
    .orderBy(desc(subscribers.createdAt), subscribers.id)
    .limit(limit);
}

/** How many subscribers of a group have an address that contains `match`. */
export async function countSubscribers({ group, match }: SubscriberFilter): Promise<number> {
  const [row] = await db()
    .select({ count: count() })
    .from(subscribers)
    .leftJoin(suppressedAddresses, isSuppressed)
    .where(and(isIn(group), matches(match)));
  return row?.count ?? 0;
}

/** Passes on the whole list, `size` at a time, as it was at one moment. A cursor reads the table only once. */
export async function readSubscribers(
  size: number,
  onPage: (page: ListedSubscriber[]) => Promise<void>,
): Promise<void> {
  await db().transaction(async (tx) => {
    await tx.execute(sql`declare listed no scroll cursor for ${selectSubscribers(tx)}`);
    for (;;) {
      const rows = await tx.execute<Record<string, string | null>>(
        sql`fetch ${sql.raw(String(size))} from listed`,
      );
      if (rows.length === 0) return;
      await onPage(
        rows.map((row) => ({
          email: String(row.email),
          createdAt: new Date(String(row.created_at)),
          confirmedAt: dateOf(row.confirmed_at),
          consentSource: row.consent_source ?? null,
          consentRecordedAt: dateOf(row.consent_recorded_at),
          suppression: (row.reason ?? null) as SuppressionReason | null,
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
  /** Subscribers on the suppression list, by reason; of those who unsubscribed, all that are remembered. */
  suppressed: Record<SuppressionReason, number>;
  /** Of those reached, the number that joined since. */
  joinedSince: number;
  /** Of those reached, the sources of consent, most frequent first; null is the site's own form. */
  sources: { source: string | null; count: number }[];
};

/** Counts the list; `since` is for `joinedSince`, and `maxSources` limits the list of sources. */
export async function countSubscriberList(
  { since, maxSources }: { since: Date; maxSources: number },
  executor: Executor = db(),
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
      unsubscribed: await executor.$count(
        suppressedAddresses,
        eq(suppressedAddresses.reason, "unsubscribed"),
      ),
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
