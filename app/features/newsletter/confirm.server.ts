import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { log } from "~/observability/log.server";
import { db } from "~db/client";
import { confirmSubscriber } from "~db/queries/subscribers";
import { liftConfirmedSuppression } from "~db/queries/suppressed-addresses";
import { enqueueNewsletterWelcome } from "./newsletter-welcome.server";
import { readSubscriberToken } from "./subscriber-token.server";

/** The outcome of a confirmation link: confirmed, invalid, or failed and worth a retry. */
export type ConfirmOutcome =
  | { kind: "confirmed" | "invalid-link" }
  | { kind: "failed"; subscriberId: string };

/** Confirms the address of a token's subscriber and lifts any suppression. Idempotent. */
export async function confirmSubscription(token: unknown): Promise<ConfirmOutcome> {
  const id = readSubscriberToken("confirm", token);
  if (!id) return { kind: "invalid-link" };
  try {
    const confirmed = await db().transaction(async (tx) => {
      const subscriber = await confirmSubscriber(id, new Date(), tx);
      if (!subscriber) return null;
      const { email, unsubscribeToken } = subscriber;
      await liftConfirmedSuppression(email, tx);
      if (unsubscribeToken) await enqueueNewsletterWelcome({ email, unsubscribeToken }, tx);
      return subscriber;
    });
    if (!confirmed) return { kind: "invalid-link" };
    wakeMailWorker();
    log().info({ subscriberId: id }, "newsletter address confirmed");
    return { kind: "confirmed" };
  } catch (error) {
    log().error({ err: error }, "newsletter confirmation failed");
    return { kind: "failed", subscriberId: id };
  }
}
