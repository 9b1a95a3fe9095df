import type { Cookie } from "@remix-run/node";
import { clientNetworks } from "~/http/client-network.server";
import { cookieName, hasCookie, signedCookie } from "~/http/cookies.server";
import { log } from "~/observability/log.server";
import type { Executor } from "~db/client";
import { isDatabaseUnavailable } from "~db/database-errors";
import {
  deleteSession,
  findUserBySession,
  findViewerBySession,
  insertSession,
  updateSession,
  type ViewerRow,
} from "~db/queries/sessions";
import type { VerifiedBy } from "~db/schema";
import { deviceOf } from "./device.server";
import { createLinkToken, hashToken } from "./link-token.server";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Lifetime of a session after its last use, and in total, in milliseconds. */
const SLIDING_LIFETIME_MS = 30 * DAY_MS;
const ABSOLUTE_LIFETIME_MS = 180 * DAY_MS;

/** Minimum time between two extensions, so not every page view writes to the database. */
const EXTEND_AFTER_MS = 1 * DAY_MS;

const NAME = "session";

/** Returns the session cookie's name. Responses to requests with that cookie are private to one visitor. */
export function sessionCookieName(): string {
  return cookieName(NAME);
}

function sessionCookie(): Cookie {
  return signedCookie(NAME, SLIDING_LIFETIME_MS / 1000);
}

/** A user who has just been verified; `passwordHash` is their hash at that time. */
export type VerifiedUser = { id: string; passwordHash: string };

/**
 * Opens a session and returns its token. Returns null if the password has changed since it was verified, so the old
 * one gives no access. Ends the browser's previous session to prevent session fixation.
 */
export async function openSession(
  { id, passwordHash }: VerifiedUser,
  before: string | null,
  {
    userAgent,
    clientAddress,
    verifiedBy = "password",
  }: { userAgent: string | null; clientAddress?: string | undefined; verifiedBy?: VerifiedBy },
  executor?: Executor,
): Promise<string | null> {
  const { token, tokenHash } = createLinkToken();
  const opened = await insertSession(
    {
      tokenHash,
      userId: id,
      passwordHash,
      expiresAt: new Date(Date.now() + SLIDING_LIFETIME_MS),
      ...deviceOf(userAgent),
      network: clientAddress === undefined ? null : clientNetworks(clientAddress).narrow,
      verifiedBy,
    },
    executor,
  );
  if (!opened) return null;
  if (before) await deleteSession(hashToken(before), executor);
  return token;
}

/** Ends a token's session and returns its user id; null if there was none. */
export async function closeSession(token: string | null): Promise<string | null> {
  return token ? deleteSession(hashToken(token)) : null;
}

/** Returns the Set-Cookie value that stores a session token. */
export function setSession(token: string): Promise<string> {
  return sessionCookie().serialize(token);
}

/** Returns the Set-Cookie value that clears the session cookie. */
export function forgetSession(): Promise<string> {
  return sessionCookie().serialize("", { maxAge: 0, expires: new Date(0) });
}

/** Returns whether a request has a session cookie, valid or not. */
export function hasSessionCookie(request: Request): boolean {
  return hasCookie(request.headers.get("Cookie"), sessionCookieName());
}

/**
 * Returns the session's user and profile, in one query; null without a valid session. If the profile cannot be read,
 * logs that and returns it as null after another query (specification, 8). Throws PostgreSQL's error if the session
 * cannot be read.
 */
export async function findSessionViewer(
  request: Request,
): Promise<(ViewerRow & { tokenHash: string }) | null> {
  const token = await readSession(request);
  if (!token) return null;
  const tokenHash = hashToken(token);
  const row = await findViewerRow(tokenHash, new Date());
  return row && { ...row, tokenHash };
}

async function findViewerRow(tokenHash: string, now: Date): Promise<ViewerRow | null> {
  try {
    return await findViewerBySession(tokenHash, now);
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    const row = await findUserBySession(tokenHash, now);
    log().error({ err: error, userId: row?.user.id }, "the profile could not be read");
    return row && { ...row, profile: null };
  }
}

/**
 * Records the day on which a session is used. Extends the session if that is due, at most once a day, and returns the
 * Set-Cookie value; otherwise null. No session lasts longer than 180 days after signing in.
 */
export async function renewSession(
  request: Request,
  session: { tokenHash: string; createdAt: Date; expiresAt: Date; lastSeenAt: Date },
): Promise<string | null> {
  const now = Date.now();
  const latest = session.createdAt.getTime() + ABSOLUTE_LIFETIME_MS;
  const expiresAt = new Date(Math.min(now + SLIDING_LIFETIME_MS, latest));
  // also shortens one that was opened while the clock ran ahead
  const isExtended = Math.abs(expiresAt.getTime() - session.expiresAt.getTime()) >= EXTEND_AFTER_MS;
  const isSeenToday = dayOf(session.lastSeenAt.getTime()) === dayOf(now);
  if (!isExtended && isSeenToday) return null;
  await updateSession(session.tokenHash, {
    lastSeenAt: new Date(now),
    ...(isExtended ? { expiresAt } : {}),
  });
  if (!isExtended) return null;
  const token = await readSession(request);
  return sessionCookie().serialize(token, {
    maxAge: Math.floor((expiresAt.getTime() - now) / 1000),
  });
}

/** Returns the session token in the request's cookie, expired or not; null without a validly signed cookie. */
export async function readSession(request: Request): Promise<string | null> {
  if (!hasSessionCookie(request)) return null;
  const value: unknown = await sessionCookie().parse(request.headers.get("Cookie"));
  return typeof value === "string" && value.length > 0 && value.length <= 128 ? value : null;
}

const dayOf = (time: number) => Math.floor(time / DAY_MS);
