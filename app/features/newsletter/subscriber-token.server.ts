import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { sessionSecrets } from "~/http/session-secrets.server";

/** What a link in a newsletter mail lets its holder do. A token for one purpose is invalid for the other. */
export type SubscriberPurpose = "confirm" | "unsubscribe";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * A token that lets a subscriber act without signing in: the row's id, signed. It is derived, so nothing secret
 * is stored, and every mail has the same one. Once the row is deleted, it is worthless.
 */
export function subscriberToken(purpose: SubscriberPurpose, subscriberId: string): string {
  const [newest = ""] = sessionSecrets();
  return `${subscriberId}.${sign(newest, purpose, subscriberId).toString("base64url")}`;
}

/** The subscriber's id in a token signed with any secret still in use; null for everything else. */
export function readSubscriberToken(purpose: SubscriberPurpose, token: unknown): string | null {
  if (typeof token !== "string") return null;
  const [id = "", signature = "", ...rest] = token.split(".");
  if (!UUID.test(id) || rest.length > 0) return null;
  const given = Buffer.from(signature, "base64url");
  const isSigned = sessionSecrets().some((secret) => {
    const wanted = sign(secret, purpose, id);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
  return isSigned ? id : null;
}

/** The key is derived for this purpose, so that no cookie's signature is a valid token. */
function sign(secret: string, purpose: SubscriberPurpose, id: string): Buffer {
  const key = hkdfSync("sha256", secret, "", `newsletter ${purpose}`, 32);
  return createHmac("sha256", Buffer.from(key)).update(id).digest();
}
