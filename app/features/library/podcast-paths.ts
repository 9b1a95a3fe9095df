/** Path of the page with a member's podcast address. */
export const PODCAST_PAGE_PATH = "/premium/podcast";

/** Prefix of all addresses with a feed's token. The log omits what follows. */
const FEEDS_PATH = "/podcast/";

const FEED_ENDING = ".xml";

/** Returns the path of the feed with this token. */
export const podcastFeedPath = (token: string) => `${FEEDS_PATH}${token}${FEED_ENDING}`;

/** Returns the path of an image or sound of the feed with this token. */
export const podcastMediaPath = (token: string, name: string) => `${FEEDS_PATH}${token}/${name}`;

/** Returns the token in the last segment of a feed's path; null for other paths. */
export function tokenOfFeed(name: string): string | null {
  return name.endsWith(FEED_ENDING) ? name.slice(0, -FEED_ENDING.length) : null;
}
