import { createHash, randomBytes } from "node:crypto";
import type { Cookie } from "@remix-run/node";
import { cookieName, hasCookie, signedCookie } from "~/http/cookies.server";
import { log } from "~/observability/log.server";
import { isDatabaseUnavailable } from "~db/database-errors";
import {
  deleteSession,
  extendSession,
  findUserBySession,
  findViewerBySession,
  insertSession,
  type ViewerRow,
} from "~db/queries/sessions";

const DAY = 24 * 60 * 60 * 1000;

/** How long a session lasts after it was last used, and at most. */
const SLIDING_LIFE = 30 * DAY;
const ABSOLUTE_LIFE = 180 * DAY;

/** A session is extended at most this often, so that reading a page is not a write. */
const EXTEND_AFTER = 1 * DAY;

let cookie: Cookie | undefined;

const NAME = "session";

/** The session cookie's name: a request that carries it is about one visitor. */
export function sessionCookieName(): string {
  return cookieName(NAME);
}

function sessionCookie(): Cookie {
  cookie ??= signedCookie(NAME, SLIDING_LIFE / 1000);
  return cookie;
}

/** A user whose password has just been verified or set: `passwordHash` is the hash it fits. */
export type VerifiedUser = { id: string; passwordHash: string };

/**
 * Opens a session for a user and gives its token; null when the password was changed since it was verified,
 * so that who knew only the old one is not let in. The session the browser already had is ended, so that a
 * token planted before signing in is worth nothing afterwards.
 */
export async function openSession(
  { id, passwordHash }: VerifiedUser,
  before: string | null,
): Promise<string | null> {
  const token = randomBytes(32).toString("base64url");
  const opened = await insertSession({
    tokenHash: hashToken(token),
    userId: id,
    passwordHash,
    expiresAt: new Date(Date.now() + SLIDING_LIFE),
  });
  if (!opened) return null;
  if (before) await deleteSession(hashToken(before));
  return token;
}

/** Ends the session a token is of, and gives whose it was; null if it was nobody's. */
export async function closeSession(token: string | null): Promise<string | null> {
  return token ? deleteSession(hashToken(token)) : null;
}

/** The Set-Cookie value by which a browser has the session of this token. */
export function setSession(token: string): Promise<string> {
  return sessionCookie().serialize(token);
}

/** The Set-Cookie value that forgets a session. */
export function forgetSession(): Promise<string> {
  return sessionCookie().serialize("", { maxAge: 0, expires: new Date(0) });
}

/** Whether a request carries a session cookie at all, valid or not. */
export function hasSessionCookie(request: Request): boolean {
  return hasCookie(request.headers.get("Cookie"), sessionCookieName());
}

/**
 * The user and profile behind the request's session in one query; null without a valid one. A profile that
 * can't be read is logged and stays empty (specification, 8), which takes a second query. Throws what
 * PostgreSQL throws when the session can't be read.
 */
export async function findSessionViewer(
  request: Request,
): Promise<(ViewerRow & { tokenHash: string }) | null> {
  const token = await readSession(request);
  if (!token) return null;
  const tokenHash = hashToken(token);
  const now = new Date();
  try {
    const row = await findViewerBySession(tokenHash, now);
    return row && { ...row, tokenHash };
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    const row = await findUserBySession(tokenHash, now);
    log().error({ err: error, userId: row?.user.id }, "the profile could not be read");
    return row && { ...row, profile: null, price: null, tokenHash };
  }
}

/**
 * Slides a session's end along when it was not extended for a day; gives the Set-Cookie value then,
 * else null. The end never passes 180 days after signing in.
 */
export async function renewSession(
  request: Request,
  session: { tokenHash: string; createdAt: Date; expiresAt: Date },
): Promise<string | null> {
  const now = Date.now();
  const latest = session.createdAt.getTime() + ABSOLUTE_LIFE;
  const expiresAt = new Date(Math.min(now + SLIDING_LIFE, latest));
  if (expiresAt.getTime() - session.expiresAt.getTime() < EXTEND_AFTER) return null;
  await extendSession(session.tokenHash, expiresAt);
  const token = await readSession(request);
  return sessionCookie().serialize(token, {
    maxAge: Math.floor((expiresAt.getTime() - now) / 1000),
  });
}

/** The token of the session a request's cookie names, ended or not; null without one that this site has signed. */
export async function readSession(request: Request): Promise<string | null> {
  if (!hasSessionCookie(request)) return null;
  const value: unknown = await sessionCookie().parse(request.headers.get("Cookie"));
  return typeof value === "string" && value.length > 0 && value.length <= 128 ? value : null;
}

function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
