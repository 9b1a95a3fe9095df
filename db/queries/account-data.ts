import { and, asc, desc, eq, getTableColumns, gt, or, sql } from "drizzle-orm";
import { addressHash } from "../address-hash";
import { db, firstRow } from "../client";
import {
  accountDeletions,
  avatars,
  campaigns,
  deskChanges,
  emailChanges,
  highlights,
  type MailState,
  mails,
  membershipGrants,
  memberships,
  notes,
  passwordResets,
  podcastFeeds,
  profiles,
  readingProgress,
  sessions,
  stripePrices,
  subscribers,
  suppressedAddresses,
  users,
  webhookEvents,
} from "../schema";
import { listPasskeys } from "./passkeys";

// All data about one account, for its owner: by the account's id, its Stripe customer or its address. Secrets and
// internal values are not selected.

/** An account with when its deletion began, which is null for all but a few; null if there is none. */
export async function findAccountData(userId: string) {
  const { passwordHash: _, isPasswordGuessable: __, ...account } = getTableColumns(users);
  return firstRow(
    db()
      .select({ ...account, deletionStartedAt: accountDeletions.startedAt })
      .from(users)
      .leftJoin(accountDeletions, eq(accountDeletions.userId, users.id))
      .where(eq(users.id, userId)),
  );
}

/** The billing data of an account, with the price if it is stored and a grant if there was one; null if there is none. */
export async function findMembershipData(userId: string) {
  const { id: _, ...membership } = getTableColumns(profiles);
  const { userId: _owner, ...grant } = getTableColumns(membershipGrants);
  const [row] = await db()
    .select({ membership, price: stripePrices, complimentary: grant })
    .from(profiles)
    .leftJoin(membershipGrants, eq(membershipGrants.userId, profiles.id))
    .leftJoin(stripePrices, eq(stripePrices.id, profiles.stripePriceId))
    .where(eq(profiles.id, userId));
  return row ? { ...row.membership, price: row.price, complimentary: row.complimentary } : null;
}

/** The memberships an account has paid for, the first one first. */
export async function findPaidMembershipData(userId: string) {
  const { id: _, userId: _user, person: _person, ...paid } = getTableColumns(memberships);
  return db()
    .select(paid)
    .from(memberships)
    .where(eq(memberships.userId, userId))
    .orderBy(asc(memberships.startedAt));
}

/** The large picture of an account; null if there is none. */
export async function findPictureData(userId: string) {
  return firstRow(
    db()
      .select({
        content: avatars.large,
        sha256: avatars.largeSha256,
        createdAt: avatars.createdAt,
      })
      .from(avatars)
      .where(eq(avatars.userId, userId)),
  );
}

/** The sessions of an account, expired ones included, by id after `afterId`. */
export function findSessionData(
  userId: string,
  { afterId, limit }: { afterId: string | null; limit: number },
) {
  const { tokenHash: _, userId: __, ...session } = getTableColumns(sessions);
  return db()
    .select(session)
    .from(sessions)
    .where(
      and(eq(sessions.userId, userId), afterId === null ? undefined : gt(sessions.id, afterId)),
    )
    .orderBy(asc(sessions.id))
    .limit(limit);
}

/** The passkeys of an account, the oldest first. */
export async function findPasskeyData(userId: string) {
  return (await listPasskeys(userId)).map(({ id: _, ...passkey }) => passkey);
}

/** The reset link of an account that was asked for last, without its token; null if none is stored. */
export async function findPasswordResetData(userId: string) {
  const { userId: _, tokenHash: __, ...reset } = getTableColumns(passwordResets);
  return firstRow(db().select(reset).from(passwordResets).where(eq(passwordResets.userId, userId)));
}

/** Changes of an account's address that wait to be confirmed or can be undone, without their tokens. */
export function findEmailChangeData(userId: string) {
  return db()
    .select({
      oldEmail: emailChanges.oldEmail,
      newEmail: emailChanges.newEmail,
      createdAt: emailChanges.createdAt,
      changedAt: emailChanges.changedAt,
      expiresAt: emailChanges.expiresAt,
    })
    .from(emailChanges)
    .where(eq(emailChanges.userId, userId))
    .orderBy(emailChanges.createdAt, emailChanges.id);
}

/** The podcast feed of an account, without its token; null if there is none. */
export async function findPodcastData(userId: string) {
  return firstRow(
    db()
      .select({ createdAt: podcastFeeds.createdAt })
      .from(podcastFeeds)
      .where(eq(podcastFeeds.userId, userId)),
  );
}

/** An account's progress in reading and listening, by slug after `afterSlug`. */
export function findProgressData(
  userId: string,
  { afterSlug, limit }: { afterSlug: string | null; limit: number },
) {
  const { userId: _, ...progress } = getTableColumns(readingProgress);
  return db()
    .select(progress)
    .from(readingProgress)
    .where(
      and(
        eq(readingProgress.userId, userId),
        afterSlug === null ? undefined : gt(readingProgress.slug, afterSlug),
      ),
    )
    .orderBy(asc(readingProgress.slug))
    .limit(limit);
}

/** What an account has done at the author's desk, or was done there about it, the latest first. */
export function findDeskChangeData(userId: string, limit: number) {
  const { at, what } = deskChanges;
  return db()
    .select({ at, what })
    .from(deskChanges)
    .where(or(eq(deskChanges.userId, userId), eq(deskChanges.aboutUserId, userId)))
    .orderBy(desc(at))
    .limit(limit);
}

/** An account's highlights, by id after `afterId`. */
export function findHighlightData(
  userId: string,
  { afterId, limit }: { afterId: string | null; limit: number },
) {
  const { userId: _, searched, renderKey, ...highlight } = getTableColumns(highlights);
  const isNext = afterId === null ? undefined : gt(highlights.id, afterId);
  return db()
    .select(highlight)
    .from(highlights)
    .where(and(eq(highlights.userId, userId), isNext))
    .orderBy(asc(highlights.id))
    .limit(limit);
}

/** An account's notes, by slug after `afterSlug`. */
export function findNoteData(
  userId: string,
  { afterSlug, limit }: { afterSlug: string | null; limit: number },
) {
  const { userId: _, ...note } = getTableColumns(notes);
  const isNext = afterSlug === null ? undefined : gt(notes.slug, afterSlug);
  return db()
    .select(note)
    .from(notes)
    .where(and(eq(notes.userId, userId), isNext))
    .orderBy(asc(notes.slug))
    .limit(limit);
}

/** The webhook events about a Stripe customer, the newest first. Reads the ledger, which holds 90 days. */
export function findPaymentEventData(stripeCustomerId: string) {
  const { stripeCustomerId: _, ...event } = getTableColumns(webhookEvents);
  return db()
    .select(event)
    .from(webhookEvents)
    .where(eq(webhookEvents.stripeCustomerId, stripeCustomerId))
    .orderBy(desc(webhookEvents.occurredAt), webhookEvents.id);
}

/** The entry of an address in the newsletter's list; null if it is not on it. */
export async function findSubscriptionData(email: string) {
  const { unsubscribeToken: _, ...subscriber } = getTableColumns(subscribers);
  return firstRow(
    db()
      .select(subscriber)
      .from(subscribers)
      .where(eq(sql`lower(${subscribers.email})`, email.toLowerCase())),
  );
}

/** Why an address is suppressed, and since when; null if it is not. */
export async function findSuppressionData(email: string) {
  const { addressHash: _, ...suppression } = getTableColumns(suppressedAddresses);
  return firstRow(
    db()
      .select(suppression)
      .from(suppressedAddresses)
      .where(eq(suppressedAddresses.addressHash, addressHash(email))),
  );
}

/** A mail to an address, without what it said; times are ISO 8601 instants. */
export type MailData = {
  kind: string;
  state: MailState;
  /** The slug of the newsletter issue; null for all other mail. */
  issue: string | null;
  createdAt: string;
  finishedAt: string | null;
};

/**
 * The mails to an address, the newest first: transactional ones that are not deleted yet, and those of campaigns. Only
 * campaigns' mails are indexed by address, and take one look-up per campaign. The others are read by the indexes of
 * queued, sending and finished mails, which leave campaigns out.
 */
export function findMailData(email: string): Promise<MailData[]> {
  const iso = (column: string) =>
    sql.raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
  return db().execute<MailData>(sql`
    with hash as materialized (select ${addressHash(email)} as address_hash), found as (
      select mails.kind, mails.state, campaigns.slug as issue, mails.created_at, mails.finished_at
      from ${campaigns} cross join hash join ${mails}
        on mails.campaign_id = campaigns.id and mails.address_hash = hash.address_hash
      union all
      select kind, state, null, created_at, finished_at from ${mails}
      where campaign_id is null and state = 'queued' and address_hash = (select address_hash from hash)
      union all
      select kind, state, null, created_at, finished_at from ${mails}
      where campaign_id is null and state = 'sending' and address_hash = (select address_hash from hash)
      union all
      select kind, state, null, created_at, finished_at from ${mails}
      where campaign_id is null and finished_at is not null
        and address_hash = (select address_hash from hash)
    )
    select kind, state, issue, ${iso("created_at")} as "createdAt", ${iso("finished_at")} as "finishedAt"
    from found order by created_at desc, kind`);
}
