import { idInToken, isIdSigned, signId } from "~/http/signed-id.server";

/** The action that a link in a newsletter mail allows. A token for one purpose is invalid for the other. */
export type SubscriberPurpose = "confirm" | "unsubscribe";

/**
 * Returns a token that lets a subscriber act without signing in: the row's id, signed. It is derived, so nothing
 * secret is stored and every mail has the same one. It is useless once the row is deleted.
 */
export function subscriberToken(purpose: SubscriberPurpose, subscriberId: string): string {
  return signId(`newsletter ${purpose}`, subscriberId);
}

/** Returns the subscriber's id if the token is signed with a secret still in use; otherwise null. */
export function readSubscriberToken(purpose: SubscriberPurpose, token: unknown): string | null {
  return isIdSigned(`newsletter ${purpose}`, token) ? idInToken(token) : null;
}
