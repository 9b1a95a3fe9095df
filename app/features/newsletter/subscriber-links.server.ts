import { env } from "~/env.server";
import { subscriberToken } from "./subscriber-token.server";

/** Path, with token, of the page on which a subscriber confirms the subscription. */
export function confirmPath(subscriberId: string): string {
  return `/newsletter/confirm?token=${subscriberToken("confirm", subscriberId)}`;
}

/** Path, with token, of the page on which a subscriber leaves the list. */
export function unsubscribePath(subscriberId: string): string {
  return `/newsletter/unsubscribe?token=${subscriberToken("unsubscribe", subscriberId)}`;
}

/** Headers of every newsletter mail, with which a mail program can unsubscribe in one click (RFC 8058). */
export function unsubscribeHeaders(subscriberId: string): Record<string, string> {
  return {
    "List-Unsubscribe": `<${env().PUBLIC_URL}${unsubscribePath(subscriberId)}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  };
}
