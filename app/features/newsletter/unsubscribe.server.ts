import { log } from "~/observability/log.server";
import { deleteSubscriber } from "~db/queries/subscribers";
import { readSubscriberToken } from "./subscriber-token.server";

/** What became of an unsubscribe link: used, forged or cut short, or kept for another try. */
export type UnsubscribeOutcome =
  | { kind: "unsubscribed" | "invalid-link" }
  | { kind: "failed"; subscriberId: string };

/**
 * Takes the address of a token's holder off the list; doing it twice is as good as once. `oneClick` is for
 * the log: whether a mail program asked for it (RFC 8058) and not the page.
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
