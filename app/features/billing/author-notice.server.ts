import { log } from "~/server/log.server";

/** What the author should know of a membership's payments. */
export type AuthorNotice = {
  kind: "dispute-opened" | "dispute-won" | "dispute-lost" | "refunded";
  userId: string;
  stripeCustomerId: string;
  subscriptionId: string;
  chargeId?: string;
};

/** Tells the author of a change that is theirs to know. */
export function tellAuthor(notice: AuthorNotice): void {
  log().warn(notice, `membership: ${notice.kind}`);
}
