import { env } from "~/env.server";
import { subscriberToken } from "./subscriber-token.server";

/** The page on which a subscriber confirms the subscription, as a path with its token. */
export function confirmPath(subscriberId: string): string {
  return `/newsletter/confirm?token=${subscriberToken("confirm", subscriberId)}`;
}

/** The page on which a subscriber leaves the list, as a path with its token. */
export function unsubscribePath(subscriberId: string): string {
  return `/newsletter/unsubscribe?token=${subscriberToken("unsubscribe", subscriberId)}`;
}

/** Headers every newsletter mail carries, so that a mail program can unsubscribe by one click (RFC 8058). */
export function unsubscribeHeaders(subscriberId: string): Record<string, string> {
  return {
    "List-Unsubscribe": `<${env().PUBLIC_URL}${unsubscribePath(subscriberId)}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  };
}
