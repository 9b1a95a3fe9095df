import { createHmac, timingSafeEqual } from "node:crypto";
import { idInToken } from "~/http/signed-id.server";
import { log } from "~/observability/log.server";
import { setNewTextsMail } from "~db/queries/new-texts";
import { ensureSiteKey } from "~db/queries/site-keys";

/**
 * Returns a function that makes a member's token, for links that end the mails about new texts. The newsletter's page to
 * unsubscribe takes it, too. Like the newsletter's tokens, it never expires.
 */
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
