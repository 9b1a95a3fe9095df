import { and, eq, gt, lt, sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { type Profile, profiles, type StripePrice, sessions, stripePrices, users } from "../schema";

/** A session's user and profile, as the site needs them on every page. */
export type ViewerRow = {
  user: { id: string; email: string; avatarUrl: string | null };
  session: { createdAt: Date; expiresAt: Date };
  profile: Profile | null;
  /** The profile's price, if it is stored. */
  price: StripePrice | null;
};

const SIGNED_IN = {
  user: { id: users.id, email: users.email, avatarUrl: users.avatarUrl },
  session: { createdAt: sessions.createdAt, expiresAt: sessions.expiresAt },
};

function prepareFindViewer(executor: Executor) {
  return executor
    .select({ ...SIGNED_IN, profile: profiles, price: stripePrices })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(profiles, eq(profiles.id, sessions.userId))
    .leftJoin(stripePrices, eq(stripePrices.id, profiles.stripePriceId))
    .where(
      and(
        eq(sessions.tokenHash, sql.placeholder("tokenHash")),
        gt(sessions.expiresAt, sql`${sql.placeholder("now")}`),
      ),
    )
    .limit(1)
    .prepare("find_viewer_by_session");
}

/** Runs for every page, so its SQL is built only once per database. */
const findViewer = new WeakMap<Executor, ReturnType<typeof prepareFindViewer>>();

/** The viewer of an unexpired session, in one query; null if there is none. */
export async function findViewerBySession(
  tokenHash: string,
  now: Date,
  executor: Executor = getDatabase().db,
): Promise<ViewerRow | null> {
  let query = findViewer.get(executor);
  if (!query) {
    query = prepareFindViewer(executor);
    findViewer.set(executor, query);
  }
  const [row] = await query.execute({ tokenHash, now: now.toISOString() });
  return row ?? null;
}

/** The user of an unexpired session without profile and price, for when those cannot be read. */
export async function findUserBySession(
  tokenHash: string,
  now: Date,
  executor: Executor = getDatabase().db,
): Promise<Pick<ViewerRow, "user" | "session"> | null> {
  const [row] = await executor
    .select(SIGNED_IN)
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.tokenHash, tokenHash), gt(sessions.expiresAt, now)))
    .limit(1);
  return row ?? null;
}

/**
 * Opens a session for a user whose password hash is still `passwordHash`; false, with nothing written, if it is
 * not. The lock on the user's row serializes this with a concurrent password change: either the change is seen
 * here, or it ends this session too.
 */
export async function insertSession(
  session: { tokenHash: string; userId: string; passwordHash: string; expiresAt: Date },
  executor: Executor = getDatabase().db,
): Promise<boolean> {
  const verified = executor
    .select({
      tokenHash: sql<string>`${session.tokenHash}::text`.as("token_hash"),
      userId: users.id,
      createdAt: sql<Date>`now()`.as("created_at"),
      expiresAt: sql<Date>`${session.expiresAt.toISOString()}::timestamptz`.as("expires_at"),
    })
    .from(users)
    .where(and(eq(users.id, session.userId), eq(users.passwordHash, session.passwordHash)))
    .for("share");
  const inserted = await executor
    .insert(sessions)
    .select(verified)
    .returning({ tokenHash: sessions.tokenHash });
  return inserted.length > 0;
}

export async function extendSession(
  tokenHash: string,
  expiresAt: Date,
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor.update(sessions).set({ expiresAt }).where(eq(sessions.tokenHash, tokenHash));
}

/** Deletes a session and returns its user id; null if there was none. */
export async function deleteSession(
  tokenHash: string,
  executor: Executor = getDatabase().db,
): Promise<string | null> {
  const [gone] = await executor
    .delete(sessions)
    .where(eq(sessions.tokenHash, tokenHash))
    .returning({ userId: sessions.userId });
  return gone?.userId ?? null;
}

/** Revokes every session of a user, as a change of password does. */
export async function deleteSessionsOfUser(
  userId: string,
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor.delete(sessions).where(eq(sessions.userId, userId));
}

/** Deletes sessions that expired before `now`; returns their number. */
export async function deleteExpiredSessions(
  now: Date,
  executor: Executor = getDatabase().db,
): Promise<number> {
  const gone = await executor
    .delete(sessions)
    .where(lt(sessions.expiresAt, now))
    .returning({ tokenHash: sessions.tokenHash });
  return gone.length;
}
