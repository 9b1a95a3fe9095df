import { randomBytes } from "node:crypto";
import { isSubscribed } from "~/features/membership/access";
import { logSecurityEvent } from "~/observability/security-log.server";
import {
  findPodcastToken,
  findProfileByPodcastToken,
  insertPodcastFeed,
  updatePodcastToken,
} from "~db/queries/podcast-feeds";
import { podcastFeedPath } from "./podcast-paths";

/** 192 bits, which are 32 characters in base64url. */
const TOKEN_BYTES = 24;
const TOKEN = /^[\w-]{32}$/;

/** Returns the address of a member's feed, with the site's `origin`; null if they have not created one. */
export async function findPodcastAddress(userId: string, origin: string): Promise<string | null> {
  const token = await findPodcastToken(userId);
  return token && origin + podcastFeedPath(token);
}

/** Creates a member's feed, unless they have one. */
export function createPodcastAddress(userId: string): Promise<void> {
  return insertPodcastFeed({ userId, token: newToken() });
}

/** Replaces the address of a member's feed. The old one stops working at once. */
export async function renewPodcastAddress(userId: string): Promise<void> {
  const renewed = await updatePodcastToken({ userId, token: newToken() });
  if (!renewed) return;
  logSecurityEvent("podcast-address-renewed", { userId }, "podcast address renewed");
}

/** Whether `token` belongs to the feed of a user who is a member at `now`. */
export async function isOpenFeed(token: string, now: Date): Promise<boolean> {
  if (!TOKEN.test(token)) return false;
  return isSubscribed(await findProfileByPodcastToken(token), now);
}

const newToken = () => randomBytes(TOKEN_BYTES).toString("base64url");
