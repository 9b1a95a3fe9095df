import { env } from "~/env.server";
import { subscriberToken } from "./subscriber-token.server";

/** Path, with token, of the page on which a subscriber confirms the subscription. */
export function confirmPath(subscriberId: string): string {
  return `/newsletter/confirm?token=${subscriberToken("confirm", subscriberId)}`;
}

/** Path, with token, of the page on which the owner of an address leaves the list. */
export function unsubscribePath(token: string): string {
  return `/newsletter/unsubscribe?token=${token}`;
}

/** The address at which the owner of an unsubscribe token leaves the list. */
export function unsubscribeUrl(token: string): string {
  return env().PUBLIC_URL + unsubscribePath(token);
}

/** Headers of every newsletter mail, with which a mail program can unsubscribe in one click (RFC 8058). */
export function unsubscribeHeaders(token: string): Record<string, string> {
  return {
    "List-Unsubscribe": `<${unsubscribeUrl(token)}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  };
}
