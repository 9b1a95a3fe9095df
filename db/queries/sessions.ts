import { and, eq, gt, ne, sql } from "drizzle-orm";
import { db, type Executor, firstRow } from "../client";
import {
  type Profile,
  profiles,
  type Session,
  sessions,
  type User,
  users,
  type VerifiedBy,
} from "../schema";

/** The part of a session that its requests need. */
export type SessionState = Pick<
  Session,
  "id" | "createdAt" | "expiresAt" | "lastSeenAt" | "verifiedAt" | "verifiedBy"
>;

/** A session's user and profile, as the site needs them on every page. */
export type ViewerRow = {
  user: Pick<User, "id" | "email" | "avatarUrl" | "readingSettings" | "emailConfirmedAt">;
  session: SessionState;
  profile: Profile | null;
};

const SIGNED_IN = {
  user: {
    id: users.id,
    email: users.email,
    avatarUrl: users.avatarUrl,
    readingSettings: users.readingSettings,
    emailConfirmedAt: users.emailConfirmedAt,
  },
  session: {
    id: sessions.id,
    createdAt: sessions.createdAt,
    expiresAt: sessions.expiresAt,
    lastSeenAt: sessions.lastSeenAt,
    verifiedAt: sessions.verifiedAt,
    verifiedBy: sessions.verifiedBy,
  },
};

/** The viewer of an unexpired session, in one query; null if there is none. */
export async function findViewerBySession(tokenHash: string, now: Date): Promise<ViewerRow | null> {
  return firstRow(
    db()
      .select({ ...SIGNED_IN, profile: profiles })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .leftJoin(profiles, eq(profiles.id, sessions.userId))
      .where(and(eq(sessions.tokenHash, tokenHash), gt(sessions.expiresAt, now)))
      .limit(1),
  );
}

/** The user of an unexpired session alone, for when the rest of the viewer cannot be read. */
export async function findUserBySession(
  tokenHash: string,
  now: Date,
): Promise<Pick<ViewerRow, "user" | "session"> | null> {
  return firstRow(
    db()
      .select(SIGNED_IN)
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(and(eq(sessions.tokenHash, tokenHash), gt(sessions.expiresAt, now)))
      .limit(1),
  );
}

/** A session to be opened; its user has just been verified. */
export type NewSession = {
  tokenHash: string;
  userId: string;
  passwordHash: string;
  expiresAt: Date;
  browser: string | null;
  system: string | null;
  network: string | null;
  verifiedBy: VerifiedBy;
};

/**
 * Opens a session for a user whose password hash is still `passwordHash`; false, with nothing written, if it is
 * not. The lock on the user's row serializes this with a concurrent password change: either the change is seen
 * here, or it ends this session too.
 */
export async function insertSession(
  session: NewSession,
  executor: Executor = db(),
): Promise<boolean> {
  const { tokenHash, userId, passwordHash, expiresAt } = session;
  const { browser, system, network, verifiedBy } = session;
  const verified = executor
    .select({
      tokenHash: sql<string>`${tokenHash}::text`.as("token_hash"),
      id: sql<string>`gen_random_uuid()`.as("id"),
      userId: users.id,
      createdAt: sql<Date>`now()`.as("created_at"),
      expiresAt: sql<Date>`${expiresAt.toISOString()}::timestamptz`.as("expires_at"),
      lastSeenAt: sql<Date>`now()`.as("last_seen_at"),
      browser: sql<string | null>`${browser}::text`.as("browser"),
      system: sql<string | null>`${system}::text`.as("system"),
      network: sql<string | null>`${network}::text`.as("network"),
      verifiedAt: sql<Date>`now()`.as("verified_at"),
      verifiedBy: sql<VerifiedBy>`${verifiedBy}::text`.as("verified_by"),
    })
    .from(users)
    .where(and(eq(users.id, userId), eq(users.passwordHash, passwordHash)))
    .for("share");
  const { count } = await executor.insert(sessions).select(verified);
  return count > 0;
}

/** Records that a session was seen, extended or verified. */
export async function updateSession(
  tokenHash: string,
  values: Partial<Pick<Session, "expiresAt" | "lastSeenAt" | "verifiedAt" | "verifiedBy">>,
  executor: Executor = db(),
): Promise<void> {
  await executor.update(sessions).set(values).where(eq(sessions.tokenHash, tokenHash));
}

/** Makes every session of a user ask for the password or passkey again before a sensitive step. */
export async function forgetVerifications(userId: string, executor: Executor): Promise<void> {
  await executor
    .update(sessions)
    .set({ verifiedAt: null, verifiedBy: null })
    .where(eq(sessions.userId, userId));
}

/** Ends one session of a user; false if the user has none with this id. */
export async function deleteSessionOfUser(userId: string, id: string): Promise<boolean> {
  const { count } = await db()
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), eq(sessions.id, id)));
  return count > 0;
}

/** Ends every session of a user but one, or all of them for null; returns their number. */
export async function deleteOtherSessions(
  userId: string,
  keptTokenHash: string | null,
  executor: Executor = db(),
): Promise<number> {
  const { count } = await executor
    .delete(sessions)
    .where(
      and(
        eq(sessions.userId, userId),
        keptTokenHash === null ? undefined : ne(sessions.tokenHash, keptTokenHash),
      ),
    );
  return count;
}

/** Deletes a session and returns its user id; null if there was none. */
export async function deleteSession(
  tokenHash: string,
  executor: Executor = db(),
): Promise<string | null> {
  const [gone] = await executor
    .delete(sessions)
    .where(eq(sessions.tokenHash, tokenHash))
    .returning({ userId: sessions.userId });
  return gone?.userId ?? null;
}
