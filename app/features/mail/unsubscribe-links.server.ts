import { env } from "~/env.server";

/** Returns the path, with token, of the unsubscribe page. */
export function unsubscribePath(token: string): string {
  return `/newsletter/unsubscribe?token=${token}`;
}

/** Returns the unsubscribe URL for a token. */
export function unsubscribeUrl(token: string): string {
  return env().PUBLIC_URL + unsubscribePath(token);
}

/** Returns the one-click unsubscribe headers of a mail to a list (RFC 8058). */
export function unsubscribeHeaders(url: string): Record<string, string> {
  return {
    "List-Unsubscribe": `<${url}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  };
}
