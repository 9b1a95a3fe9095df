import { env } from "~/env.server";
import { emailSchema } from "~/features/accounts/credentials";
import { sendMailInBackground } from "~/features/mail/background-mail.server";
import { newsletterConfirmationMail } from "~/features/mail/newsletter-confirmation-mail";
import type { FieldValue } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import {
  deleteSubscriber,
  findSubscriberByEmail,
  insertSubscriber,
  insertUnconfirmedSubscriber,
} from "~db/queries/subscribers";
import { confirmPath, unsubscribeHeaders } from "./subscriber-links.server";

/** How a newsletter form ended; an empty value does nothing (specification, 5). */
export type SubscribeOutcome = {
  kind: "empty" | "invalid" | "subscribed" | "already-subscribed" | "failed";
};

/** How soon the owner of an unconfirmed address is mailed again, in milliseconds. */
const ASK_AGAIN_AFTER = 10 * 60 * 1000;

/**
 * Puts an address on the newsletter list, with three possible outcomes for its owner
 * (specification, 8). It counts at once, or with `NEWSLETTER_DOUBLE_OPT_IN` when its owner has confirmed it by mail.
 */
export async function subscribe(email: FieldValue): Promise<SubscribeOutcome> {
  if (email === undefined || (typeof email === "string" && email.trim() === "")) {
    return { kind: "empty" };
  }
  const parsed = emailSchema.safeParse(email);
  if (!parsed.success) return { kind: "invalid" };
  const add = env().NEWSLETTER_DOUBLE_OPT_IN ? askToConfirm : addAtOnce;
  try {
    return { kind: (await add(parsed.data)) ? "subscribed" : "already-subscribed" };
  } catch (error) {
    log().error({ err: error }, "newsletter subscription failed");
    return { kind: "failed" };
  }
}

function addAtOnce(email: string): Promise<boolean> {
  return insertSubscriber(email, new Date());
}

/** False only for an address that counts already; one that still waits is asked again, but not often. */
async function askToConfirm(email: string): Promise<boolean> {
  const now = Date.now();
  const id = await insertUnconfirmedSubscriber(email, {
    now: new Date(now),
    askAgainAfter: new Date(now - ASK_AGAIN_AFTER),
  });
  if (!id) return (await findSubscriberByEmail(email))?.confirmedAt === null;
  const taken = sendMailInBackground("newsletter confirmation", async () =>
    newsletterConfirmationMail({
      to: email,
      url: env().PUBLIC_URL + confirmPath(id),
      headers: unsubscribeHeaders(id),
    }),
  );
  if (!taken) {
    // otherwise the next attempt would wait for a mail that never comes
    await deleteSubscriber(id);
    throw new Error("No confirmation mail can be sent now.");
  }
  return true;
}
