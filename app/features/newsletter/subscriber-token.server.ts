import { idInToken, isIdSigned, signId } from "~/http/signed-id.server";

/** What a link in a newsletter mail lets its holder do. A token for one purpose is invalid for the other. */
export type SubscriberPurpose = "confirm" | "unsubscribe";

/**
 * A token that lets a subscriber act without signing in: the row's id, signed. It is derived, so nothing secret
 * is stored, and every mail has the same one. Once the row is deleted, it is worthless.
 */
export function subscriberToken(purpose: SubscriberPurpose, subscriberId: string): string {
  return signId(`newsletter ${purpose}`, subscriberId);
}

/** The subscriber's id in a token signed with any secret still in use; null for everything else. */
export function readSubscriberToken(purpose: SubscriberPurpose, token: unknown): string | null {
  return isIdSigned(`newsletter ${purpose}`, token) ? idInToken(token) : null;
}
