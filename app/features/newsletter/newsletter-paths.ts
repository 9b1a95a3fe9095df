export const ARCHIVE_PATH = "/newsletter/archive";

export const FEED_PATH = "/newsletter/feed.xml";

/** The folder from which issue images are served. */
export const IMAGES_PATH = "/newsletter/images/";

/** Returns the path of an issue's page. */
export const issuePath = (slug: string) => `/newsletter/${slug}`;

/** Returns the newsletter's name. */
export const lettersFrom = (title: string) => `Letters from ${title}`;
