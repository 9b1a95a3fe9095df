import { log } from "~/observability/log.server";
import { deleteSubscriber } from "~db/queries/subscribers";
import { readSubscriberToken } from "./subscriber-token.server";

/** The outcome of an unsubscribe link: unsubscribed, invalid, or failed and to be retried. */
export type UnsubscribeOutcome =
  | { kind: "unsubscribed" | "invalid-link" }
  | { kind: "failed"; subscriberId: string };

/**
 * Removes the address of a token's subscriber from the list. Idempotent. `oneClick` is for the log: whether a
 * mail program requested it (RFC 8058) rather than the page.
 */
export async function unsubscribe(token: unknown, oneClick: boolean): Promise<UnsubscribeOutcome> {
  const id = readSubscriberToken("unsubscribe", token);
  if (!id) return { kind: "invalid-link" };
  try {
    if (await deleteSubscriber(id)) log().info({ subscriberId: id, oneClick }, "unsubscribed");
    return { kind: "unsubscribed" };
  } catch (error) {
    log().error({ err: error }, "unsubscribing failed");
    return { kind: "failed", subscriberId: id };
  }
}
