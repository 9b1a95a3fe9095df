import { log } from "~/observability/log.server";
import { unsubscribeById, unsubscribeByToken } from "~db/queries/subscribers";
import { readSubscriberToken } from "./subscriber-token.server";
import { isUnsubscribeToken } from "./unsubscribe-token.server";

/** The outcome of an unsubscribe link: unsubscribed, invalid, or failed and worth a retry. */
export type UnsubscribeOutcome =
  | { kind: "unsubscribed" | "invalid-link" }
  | { kind: "failed"; token: string };

/**
 * Whether a token may come from a link we mailed: an address token, or a signed row id from earlier releases. Does
 * not reveal who is on the list.
 */
export function isUnsubscribeLink(token: unknown): token is string {
  return isUnsubscribeToken(token) || readSubscriberToken("unsubscribe", token) !== null;
}

/**
 * Removes a token's address from the list, and keeps it out of imports until its owner subscribes. Idempotent; the
 * result is the same for an address that isn't on the list.
 * `oneClick` is for the log: whether a mail client made the request (RFC 8058) rather than the page.
 */
export async function unsubscribe(token: unknown, oneClick: boolean): Promise<UnsubscribeOutcome> {
  if (!isUnsubscribeLink(token)) return { kind: "invalid-link" };
  try {
    const subscriberId = await removeSubscriber(token);
    if (subscriberId) log().info({ subscriberId, oneClick }, "unsubscribed");
    return { kind: "unsubscribed" };
  } catch (error) {
    log().error({ err: error }, "unsubscribing failed");
    return { kind: "failed", token };
  }
}

/** Returns the removed subscriber's id; null if the address was not on the list. */
async function removeSubscriber(token: string): Promise<string | null> {
  if (isUnsubscribeToken(token)) return unsubscribeByToken(token);
  const id = readSubscriberToken("unsubscribe", token);
  return id === null ? null : unsubscribeById(id);
}
