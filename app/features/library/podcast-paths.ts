/** Where members get the address of their podcast feed. */
export const PODCAST_PAGE_PATH = "/premium/podcast";

/** Everything whose address has a feed's token in it; the log shows nothing behind it. */
const FEEDS_PATH = "/podcast/";

const FEED_ENDING = ".xml";

/** The path of the feed with this token. */
export const podcastFeedPath = (token: string) => `${FEEDS_PATH}${token}${FEED_ENDING}`;

/** The path of an image or a sound of the feed with this token. */
export const podcastMediaPath = (token: string, name: string) => `${FEEDS_PATH}${token}/${name}`;

/** The token in the last segment of a feed's path; null if it is not one of a feed. */
export function tokenOfFeed(name: string): string | null {
  return name.endsWith(FEED_ENDING) ? name.slice(0, -FEED_ENDING.length) : null;
}
