import { log } from "~/observability/log.server";
import { getDatabase } from "~db/client";
import { confirmSubscriber } from "~db/queries/subscribers";
import { liftConfirmedSuppression } from "~db/queries/suppressed-addresses";
import { readSubscriberToken } from "./subscriber-token.server";

/** The outcome of a confirmation link: confirmed, invalid, or failed and to be retried. */
export type ConfirmOutcome =
  | { kind: "confirmed" | "invalid-link" }
  | { kind: "failed"; subscriberId: string };

/** Confirms the address of a token's subscriber, who then gets mail whatever happened before. Idempotent. */
export async function confirmSubscription(token: unknown): Promise<ConfirmOutcome> {
  const id = readSubscriberToken("confirm", token);
  if (!id) return { kind: "invalid-link" };
  try {
    const confirmed = await getDatabase().db.transaction(async (tx) => {
      const subscriber = await confirmSubscriber(id, new Date(), tx);
      if (subscriber) await liftConfirmedSuppression(subscriber.email, tx);
      return subscriber;
    });
    if (!confirmed) return { kind: "invalid-link" };
    log().info({ subscriberId: id }, "newsletter address confirmed");
    return { kind: "confirmed" };
  } catch (error) {
    log().error({ err: error }, "newsletter confirmation failed");
    return { kind: "failed", subscriberId: id };
  }
}
