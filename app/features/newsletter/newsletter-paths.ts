export const ARCHIVE_PATH = "/newsletter/archive";

export const FEED_PATH = "/newsletter/feed.xml";

/** The folder that images of issues are served from. */
export const IMAGES_PATH = "/newsletter/images/";

/** The path of an issue's page. */
export const issuePath = (slug: string) => `/newsletter/${slug}`;
