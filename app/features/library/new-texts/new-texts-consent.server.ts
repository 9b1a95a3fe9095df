import { createHmac, timingSafeEqual } from "node:crypto";
import { env } from "~/env.server";
import { idInToken } from "~/http/signed-id.server";
import { log } from "~/observability/log.server";
import { setNewTextsMail } from "~db/queries/new-texts";
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

/** Stores whether a member is mailed about new texts, by the account page or a mail's link; false if that failed. */
export async function setNewTextsMailFor(userId: string, isWanted: boolean): Promise<boolean> {
  try {
    await setNewTextsMail(userId, isWanted);
    log().info({ userId, isWanted }, "mails about new texts were turned on or off");
    return true;
  } catch (error) {
    log().error({ err: error, userId }, "mails about new texts could not be turned on or off");
    return false;
  }
}
