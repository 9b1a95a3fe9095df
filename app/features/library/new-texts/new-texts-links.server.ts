import { createHmac, timingSafeEqual } from "node:crypto";
import { env } from "~/env.server";
import { idInToken } from "~/http/signed-id.server";
import { ensureSiteKey } from "~db/queries/site-keys";

/** Returns what makes members' tokens in links that end the mails about new texts. Like the newsletter's, none expires. */
export async function newTextsTokens(): Promise<(userId: string) => string> {
  const key = await ensureSiteKey("new-texts");
  return (userId) => `${userId}.${createHmac("sha256", key).update(userId).digest("base64url")}`;
}

/** Returns the member's id in such a token; null for any other. */
export async function memberOfToken(token: unknown): Promise<string | null> {
  const id = idInToken(token);
  if (id === null) return null;
  const tokenOf = await newTextsTokens();
  const [given, wanted] = [Buffer.from(String(token)), Buffer.from(tokenOf(id))];
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? id : null;
}

/** Returns the URL that ends the mails of a token's member; the newsletter's page serves both. */
export const unsubscribeUrlOf = (token: string) =>
  `${env().PUBLIC_URL}/newsletter/unsubscribe?token=${token}`;
