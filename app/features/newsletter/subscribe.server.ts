import { env } from "~/env.server";
import { emailSchema } from "~/environment/email-address.server";
import { enqueueMail, isMailQueueFull } from "~/features/mail/enqueue-mail.server";
import { renderMail } from "~/features/mail/render-mail";
import { newsletterConfirmationMail } from "~/features/mail/templates/newsletter-mails";
import { unsubscribeHeaders, unsubscribeUrl } from "~/features/mail/unsubscribe-links.server";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import type { FieldValue } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { db } from "~db/client";
import {
  findSubscriberByEmail,
  insertSubscriber,
  insertUnconfirmedSubscriber,
} from "~db/queries/subscribers";
import { findSuppressionReason, liftConfirmedSuppression } from "~db/queries/suppressed-addresses";
import { isEmailConfirmed } from "~db/queries/users";
import { enqueueNewsletterWelcome } from "./newsletter-welcome.server";
import { confirmPath } from "./subscriber-links.server";
import { unsubscribeTokenOf } from "./unsubscribe-token.server";

/** The outcome of the newsletter form. An empty value does nothing (specification, 5). */
export type SubscribeOutcome = {
  kind: "empty" | "invalid" | "subscribed" | "already-subscribed" | "failed";
};

/** Minimum time between confirmation mails to one address, in milliseconds. */
const RESEND_AFTER_MS = 10 * 60 * 1000;

/**
 * Adds an address to the newsletter list, with three possible outcomes for its owner (specification, 8). It counts
 * immediately. With `NEWSLETTER_DOUBLE_OPT_IN`, or if suppressed, it counts once its owner confirms by mail. The
 * signed-in account `accountId`, if its address is confirmed, comes back to the list without confirming again.
 */
export async function subscribe(
  email: FieldValue,
  accountId: string | null = null,
): Promise<SubscribeOutcome> {
  if (email === undefined || (typeof email === "string" && email.trim() === "")) {
    return { kind: "empty" };
  }
  const parsed = emailSchema.safeParse(email);
  if (!parsed.success) return { kind: "invalid" };
  try {
    const isAdded = env().NEWSLETTER_DOUBLE_OPT_IN
      ? await askToConfirm(parsed.data)
      : await addAtOnce(parsed.data, accountId);
    return { kind: isAdded ? "subscribed" : "already-subscribed" };
  } catch (error) {
    log().error({ err: error }, "newsletter subscription failed");
    return { kind: "failed" };
  }
}

async function addAtOnce(email: string, accountId: string | null): Promise<boolean> {
  const reason = await findSuppressionReason(email);
  const comesBack =
    reason === "unsubscribed" && accountId !== null && (await isEmailConfirmed(accountId));
  // a suppressed address gets no mail until its owner's confirmation lifts the suppression
  if (reason !== null && !comesBack) return askToConfirm(email);
  const subscriber = { email, unsubscribeToken: await unsubscribeTokenOf(email) };
  const isAdded = await db().transaction(async (tx) => {
    const inserted = await insertSubscriber(subscriber, new Date(), tx);
    if (comesBack) await liftConfirmedSuppression(email, tx, reason);
    if (inserted) await enqueueNewsletterWelcome(subscriber, tx);
    return inserted;
  });
  if (isAdded) wakeMailWorker();
  return isAdded;
}

/** Returns false only for a confirmed address. Mails an unconfirmed one again, rate limited. */
async function askToConfirm(email: string): Promise<boolean> {
  const now = Date.now();
  const times = { now: new Date(now), askAgainAfter: new Date(now - RESEND_AFTER_MS) };
  const unsubscribeToken = await unsubscribeTokenOf(email);
  const isAsked = await db().transaction(async (tx) => {
    const id = await insertUnconfirmedSubscriber({ email, unsubscribeToken }, times, tx);
    if (!id) return false;
    // rolls back, or the next attempt would send no mail until RESEND_AFTER_MS is over
    if (await isMailQueueFull(tx)) throw new Error("No confirmation mail can be sent now.");
    const url = env().PUBLIC_URL + confirmPath(id);
    const message = {
      ...(await renderMail(newsletterConfirmationMail({ url }))),
      headers: unsubscribeHeaders(unsubscribeUrl(unsubscribeToken)),
    };
    await enqueueMail({ kind: "newsletter-confirmation", to: email, message }, tx);
    return true;
  });
  if (!isAsked) return (await findSubscriberByEmail(email))?.confirmedAt === null;
  wakeMailWorker();
  return true;
}
