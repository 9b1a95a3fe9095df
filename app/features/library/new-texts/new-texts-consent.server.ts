import { log } from "~/observability/log.server";
import { setNewTextsMail } from "~db/queries/new-texts";

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
