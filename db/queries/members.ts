import { and, asc, count, eq, gt, isNotNull, type SQL, sql } from "drizzle-orm";
import { db } from "../client";
import {
  accountDeletions,
  notes,
  type Profile,
  passkeys,
  profiles,
  sessions,
  subscribers,
  type User,
  users,
} from "../schema";
import { countComplimentary, isUnpaid } from "./profiles";

/** An account as the operator lists it; without a premium membership `premiumUntil` is null. */
export type ListedMember = Pick<User, "email" | "createdAt" | "emailConfirmedAt"> & {
  premiumUntil: Date | null;
  isComplimentary: boolean;
};

/** Accounts whose address contains `match`; only members with access if `premium` is set. */
export type MemberFilter = { match: string; premium: boolean; now: Date };

/**
 * Accounts by address, those after an address, at most `limit`. The index of addresses and a look-up per profile make a list of a million as fast as a short one.
 * With `match`, a sequential scan and a sort are ten times as fast as the index if few accounts match.
 */
export async function findMembers({
  match,
  premium,
  limit,
  now,
  after = null,
}: MemberFilter & { limit: number; after?: string | null }): Promise<ListedMember[]> {
  const address = sql`lower(${users.email})`;
  const rows = await db()
    .select({
      email: users.email,
      createdAt: users.createdAt,
      emailConfirmedAt: users.emailConfirmedAt,
      priceId: profiles.stripePriceId,
      periodEnd: profiles.stripeCurrentPeriodEnd,
      isComplimentary: isUnpaid(),
    })
    .from(users)
    .leftJoin(profiles, eq(profiles.id, users.id))
    .where(
      and(
        matches(match),
        premium ? hasAccess(now) : undefined,
        after === null ? undefined : sql`${address} > lower(${after})`,
      ),
    )
    .orderBy(match === "" ? asc(address) : asc(sql`${address} || ''`))
    .limit(limit);
  return rows.map(({ priceId, periodEnd, ...member }) => ({
    ...member,
    premiumUntil: priceId !== null && periodEnd !== null && periodEnd > now ? periodEnd : null,
  }));
}

/** How many accounts there are. */
export type MemberCounts = {
  accounts: number;
  /** Of these, created since. */
  createdSince: number;
  /** With a confirmed address. */
  confirmed: number;
  /** With access to the members' area; of these, granted by the operator and not paid for. */
  premium: number;
  complimentary: number;
  /** With a deletion that has begun and not ended. */
  beingDeleted: number;
};

/** Counts the accounts; `since` is for new ones. Reads both tables once. */
export async function countMembers({
  since,
  now,
}: {
  since: Date;
  now: Date;
}): Promise<MemberCounts> {
  const [accounts] = await db()
    .select({
      accounts: count(),
      createdSince: countOf(sql`${users.createdAt} >= ${since.toISOString()}::timestamptz`),
      confirmed: countOf(sql`${users.emailConfirmedAt} is not null`),
    })
    .from(users);
  return {
    accounts: 0,
    createdSince: 0,
    confirmed: 0,
    ...accounts,
    premium: await db().$count(profiles, hasAccess(now)),
    complimentary: await countComplimentary(),
    beingDeleted: await db().$count(accountDeletions),
  };
}

/** One account as the operator sees it: its state and counts of its data, but not its contents. */
export type MemberOverview = Pick<User, "id" | "email" | "createdAt" | "emailConfirmedAt"> & {
  profile: Profile | null;
  deletionStartedAt: Date | null;
  sessions: number;
  passkeys: number;
  notes: number;
  /** The newsletter's entry of the address. */
  newsletter: { confirmedAt: Date | null } | null;
};

/** The account with an address, whatever its case; null if nobody has it. */
export async function findMemberOverview(email: string, now: Date): Promise<MemberOverview | null> {
  const [row] = await db()
    .select({
      id: users.id,
      email: users.email,
      createdAt: users.createdAt,
      emailConfirmedAt: users.emailConfirmedAt,
      profile: profiles,
      deletionStartedAt: accountDeletions.startedAt,
    })
    .from(users)
    .leftJoin(profiles, eq(profiles.id, users.id))
    .leftJoin(accountDeletions, eq(accountDeletions.userId, users.id))
    .where(eq(sql`lower(${users.email})`, email.toLowerCase()));
  if (!row) return null;
  const [newsletter] = await db()
    .select({ confirmedAt: subscribers.confirmedAt })
    .from(subscribers)
    .where(eq(sql`lower(${subscribers.email})`, email.toLowerCase()));
  const isOpen = and(eq(sessions.userId, row.id), gt(sessions.expiresAt, now));
  return {
    ...row,
    sessions: await db().$count(sessions, isOpen),
    passkeys: await db().$count(passkeys, eq(passkeys.userId, row.id)),
    notes: await db().$count(notes, eq(notes.userId, row.id)),
    newsletter: newsletter ?? null,
  };
}

/** The rule of `isSubscribed` (specification, 4) in SQL. */
function hasAccess(now: Date): SQL | undefined {
  return and(isNotNull(profiles.stripePriceId), gt(profiles.stripeCurrentPeriodEnd, now));
}

function matches(text: string): SQL | undefined {
  if (text === "") return undefined;
  return sql`strpos(lower(${users.email}), ${text.toLowerCase()}) > 0`;
}

function countOf(condition: SQL): SQL<number> {
  return sql<number>`(count(*) filter (where ${condition}))::int`;
}
