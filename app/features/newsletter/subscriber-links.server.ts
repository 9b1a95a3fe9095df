import { env } from "~/env.server";
import { subscriberToken } from "./subscriber-token.server";

/** Returns the path, with token, of the page that confirms a subscription. */
export function confirmPath(subscriberId: string): string {
  return `/newsletter/confirm?token=${subscriberToken("confirm", subscriberId)}`;
}

/** Returns the sender in the `Feedback-ID` of letters, 5 to 15 characters from the site's host. */
export function feedbackSender(): string {
  const { hostname } = new URL(env().PUBLIC_URL);
  return hostname
    .replace(/[^a-z\d]/g, "")
    .slice(0, 15)
    .padEnd(5, "0");
}
