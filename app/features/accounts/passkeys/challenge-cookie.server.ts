import { randomBytes } from "node:crypto";
import type { Cookie } from "@remix-run/node";
import { z } from "zod";
import { cookieName, hasCookie, signedCookie } from "~/http/cookies.server";

const NAME = "passkey-challenge";

/** Lifetime of a challenge, in milliseconds. */
export const CHALLENGE_LIFETIME_MS = 5 * 60 * 1000;

/** An open challenge. */
export type Challenge = {
  /** 32 random bytes in base64url. */
  value: string;
  expiresAt: Date;
};

const contentSchema = z.object({
  challenge: z.string().regex(/^[\w-]{43}$/),
  of: z.enum(["sign-in", "registration", "verification"]),
  session: z.string().nullable(),
  expires: z.number(),
});

/** What a challenge is for. All but sign-in are bound to the session that asks, so the response is of no use elsewhere. */
type Purpose = z.infer<typeof contentSchema>["of"];

function challengeCookie(): Cookie {
  return signedCookie(NAME, CHALLENGE_LIFETIME_MS / 1000);
}

/**
 * Creates a challenge, and the Set-Cookie value with which the browser returns it. It is not stored here, so
 * requesting one writes nothing to the database. It replaces the browser's previous challenge.
 */
export async function newChallenge(
  purpose: Purpose,
  session: string | null = null,
): Promise<{ challenge: Challenge; setCookie: string }> {
  const value = randomBytes(32).toString("base64url");
  const expiresAt = new Date(Date.now() + CHALLENGE_LIFETIME_MS);
  const content: z.infer<typeof contentSchema> = {
    challenge: value,
    of: purpose,
    session,
    expires: expiresAt.getTime(),
  };
  return {
    challenge: { value, expiresAt },
    setCookie: await challengeCookie().serialize(content),
  };
}

/** Returns the challenge in a Cookie header; null if it is missing, expired or for another purpose. */
export async function readChallenge(
  header: string | null,
  purpose: Purpose,
  sessionId: string | null = null,
): Promise<Challenge | null> {
  if (!hasCookie(header, cookieName(NAME))) return null;
  const parsed = contentSchema.safeParse(await challengeCookie().parse(header));
  if (!parsed.success) return null;
  const { challenge, of, session, expires } = parsed.data;
  if (of !== purpose || session !== sessionId) return null;
  // the browser may ignore the cookie's expiry
  if (expires <= Date.now()) return null;
  return { value: challenge, expiresAt: new Date(expires) };
}

/** Returns the Set-Cookie value that clears a used challenge. */
export function forgetChallenge(): Promise<string> {
  return challengeCookie().serialize("", { maxAge: 0, expires: new Date(0) });
}
