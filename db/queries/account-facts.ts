import { and, asc, desc, eq, gt, isNull, sql } from "drizzle-orm";
import { db, type Executor } from "../client";
import {
  avatars,
  emailChanges,
  podcastFeeds,
  type Session,
  sessions,
  subscribers,
  users,
} from "../schema";
import { type ListedPasskey, listPasskeys } from "./passkeys";

/** A session as its owner sees it, without what gives access. */
export type ListedSession = Pick<
  Session,
  "id" | "browser" | "system" | "network" | "createdAt" | "lastSeenAt"
>;

export type AccountFacts = {
  emailConfirmedAt: Date | null;
  isPasswordGuessable: boolean;
  /** Since when it is mailed about new texts; null if it is not. */
  newTextsMailSince: Date | null;
  /** The address that waits to be confirmed in the place of the account's; null for none. */
  waitingEmail: string | null;
  /** Null if the account's address is not on the list of subscribers. */
  subscriber: { confirmedAt: Date | null } | null;
  /** The hash of the large picture, in hexadecimal; null for none. */
  largePicture: string | null;
  /** When the address of the podcast feed was made; null without one. */
  podcastCreatedAt: Date | null;
  /** Those that have not expired, the last seen first. */
  sessions: ListedSession[];
  /** In the order in which they were added. */
  passkeys: ListedPasskey[];
};

/** As of an instant, with at most `sessionLimit` sessions; null if there is no such account (any more). */
export async function findAccountFacts(
  userId: string,
  { asOf, sessionLimit }: { asOf: Date; sessionLimit: number },
): Promise<AccountFacts | null> {
  const account = db()
    .select({
      emailConfirmedAt: users.emailConfirmedAt,
      isPasswordGuessable: users.isPasswordGuessable,
      newTextsMailSince: users.newTextsMailSince,
      waitingEmail: emailChanges.newEmail,
      subscriberId: subscribers.id,
      confirmedAt: subscribers.confirmedAt,
      largePicture: avatars.largeSha256,
      podcastCreatedAt: podcastFeeds.createdAt,
    })
    .from(users)
    .leftJoin(
      emailChanges,
      and(
        eq(emailChanges.userId, users.id),
        isNull(emailChanges.changedAt),
        gt(emailChanges.expiresAt, asOf),
      ),
    )
    .leftJoin(subscribers, eq(sql`lower(${subscribers.email})`, sql`lower(${users.email})`))
    .leftJoin(avatars, eq(avatars.userId, users.id))
    .leftJoin(podcastFeeds, eq(podcastFeeds.userId, users.id))
    .where(eq(users.id, userId));
  const [[facts], listed, passkeys] = await Promise.all([
    account,
    listSessions(userId, { asOf, limit: sessionLimit }, db()),
    listPasskeys(userId, db()),
  ]);
  if (!facts) return null;
  const { subscriberId, confirmedAt, ...rest } = facts;
  const subscriber = subscriberId === null ? null : { confirmedAt };
  return { ...rest, subscriber, sessions: listed, passkeys };
}

function listSessions(
  userId: string,
  { asOf, limit }: { asOf: Date; limit: number },
  executor: Executor,
): Promise<ListedSession[]> {
  const { id, browser, system, network, createdAt, lastSeenAt, expiresAt } = sessions;
  return executor
    .select({ id, browser, system, network, createdAt, lastSeenAt })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(expiresAt, asOf)))
    .orderBy(desc(lastSeenAt), desc(createdAt), asc(id))
    .limit(limit);
}
