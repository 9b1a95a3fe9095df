import { env } from "~/env.server";
import {
  enqueueMailToCompose,
  isMailQueueFull,
  type MailComposer,
} from "~/features/mail/enqueue-mail.server";
import { renderMail } from "~/features/mail/render-mail";
import { signUpAttemptMail } from "~/features/mail/templates/account-mails";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { log } from "~/observability/log.server";
import { claimSignUpNotice } from "~db/queries/users";
import { FORGOT_PASSWORD_PATH } from "./auth-paths";

/** Minimum time between two such mails to one address, in milliseconds. */
const NOTICE_INTERVAL_MS = 24 * 60 * 60 * 1000;

/**
 * Mails an account's owner, at most once a day, that someone tried to sign up with their address. It may have been
 * the owner, who forgot the account. Runs in the background; never throws.
 */
export async function notifySignUpAttempt(email: string): Promise<void> {
  try {
    if (await isMailQueueFull()) return;
    await enqueueMailToCompose({ kind: "sign-up-attempt", email });
    wakeMailWorker();
  } catch (error) {
    log().error({ err: error }, "the notice of a sign-up attempt could not be queued");
  }
}

/** Composes the mail to an account's owner; null if one was sent within a day. */
export const composeSignUpNotice: MailComposer = async (email, tx) => {
  const now = Date.now();
  const owner = await claimSignUpNotice(
    email,
    { now: new Date(now), notSince: new Date(now - NOTICE_INTERVAL_MS) },
    tx,
  );
  if (owner === null) return null;
  const url = env().PUBLIC_URL + FORGOT_PASSWORD_PATH;
  return { to: owner, message: await renderMail(signUpAttemptMail({ url })) };
};
