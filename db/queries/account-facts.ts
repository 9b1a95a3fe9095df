import { and, desc, eq, gt, isNull, sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { preparedQuery } from "../prepared-query";
import {
  avatars,
  emailChanges,
  type Passkey,
  passkeys,
  type Session,
  sessions,
  subscribers,
  users,
} from "../schema";

/** A session as its owner sees it, without what gives access. */
export type ListedSession = Pick<Session, "id" | "browser" | "system" | "createdAt" | "lastSeenAt">;

/** What the account page says about an account. */
export type AccountFacts = {
  emailConfirmedAt: Date | null;
  /** The address that waits to be confirmed in the place of the account's; null for none. */
  waitingEmail: string | null;
  /** Null if the account's address is not on the list of subscribers. */
  subscriber: { confirmedAt: Date | null } | null;
  /** The hash of the large picture, in hexadecimal; null for none. */
  largePicture: string | null;
  /** Those that have not expired, the last seen first. */
  sessions: ListedSession[];
  /** In the order in which they were added. */
  passkeys: Pick<Passkey, "id" | "name" | "createdAt" | "lastUsedAt">[];
};

/** What PostgreSQL makes of an instant within JSON. */
type JsonInstant = string;

type SessionInJson = [
  id: string,
  browser: string | null,
  system: string | null,
  createdAt: JsonInstant,
  lastSeenAt: JsonInstant,
];

type PasskeyInJson = [
  id: string,
  name: string,
  createdAt: JsonInstant,
  lastUsedAt: JsonInstant | null,
];

// lists as JSON, since a statement of its own for each takes as long as all the rest
const factsOf = preparedQuery((executor) => {
  const now = sql`${sql.placeholder("now")}::timestamptz`;
  const listedSessions = executor
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, users.id), gt(sessions.expiresAt, now)))
    .orderBy(desc(sessions.lastSeenAt), desc(sessions.createdAt), sessions.id)
    .limit(sql.placeholder("sessionLimit"))
    .as("sessions");
  return executor
    .select({
      emailConfirmedAt: users.emailConfirmedAt,
      waitingEmail: emailChanges.newEmail,
      subscriber: { id: subscribers.id, confirmedAt: subscribers.confirmedAt },
      largePicture: avatars.largeSha256,
      sessions: sql<SessionInJson[]>`(
        select coalesce(json_agg(json_build_array(id, browser, system, created_at, last_seen_at)), '[]')
        from ${listedSessions})`,
      passkeys: sql<PasskeyInJson[]>`(
        select coalesce(json_agg(json_build_array(id, name, created_at, last_used_at) order by created_at, id), '[]')
        from ${passkeys} where ${passkeys.userId} = ${users.id})`,
    })
    .from(users)
    .leftJoin(
      emailChanges,
      and(
        eq(emailChanges.userId, users.id),
        isNull(emailChanges.changedAt),
        gt(emailChanges.expiresAt, now),
      ),
    )
    .leftJoin(subscribers, eq(sql`lower(${subscribers.email})`, sql`lower(${users.email})`))
    .leftJoin(avatars, eq(avatars.userId, users.id))
    .where(eq(users.id, sql.placeholder("userId")))
    .prepare("find_account_facts");
});

/** In one statement, with at most `sessionLimit` sessions; null if there is no such account (any more). */
export async function findAccountFacts(
  userId: string,
  { now, sessionLimit }: { now: Date; sessionLimit: number },
  executor: Executor = getDatabase().db,
): Promise<AccountFacts | null> {
  const values = { userId, now: now.toISOString(), sessionLimit };
  const [facts] = await factsOf(executor).execute(values);
  if (!facts) return null;
  return {
    ...facts,
    sessions: facts.sessions.map(([id, browser, system, createdAt, lastSeenAt]) => ({
      ...{ id, browser, system },
      createdAt: new Date(createdAt),
      lastSeenAt: new Date(lastSeenAt),
    })),
    passkeys: facts.passkeys.map(([id, name, createdAt, lastUsedAt]) => ({
      ...{ id, name },
      createdAt: new Date(createdAt),
      lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
    })),
  };
}
