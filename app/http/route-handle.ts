/**
 * Texts in a route's data that are its viewer's own beside those of the viewer themself. Whatever else is in the data tells
 * apart the templates of its page, so that most viewers who have it open should have the rest in common.
 */
export type OwnValues = {
  /**
   * Shown or sent as they are. None that somebody could choose, since it could equal the name of a state, and be replaced
   * where that stands.
   */
  texts: readonly (string | null)[];
  /**
   * ISO 8601 instants, shown as a day by `UtcDate` or not at all. Nothing may be decided by how near one is to now or to
   * another: those of stand-ins are centuries away.
   */
  instants: readonly (string | null)[];
};

/**
 * What a route declares to the host in its `handle` export. The defaults are the safe choice: every check
 * applies, pages take a slot, nothing is cached.
 */
export type RouteHandle = {
  /** The route's label in the metrics of requests; those without one share `other`. */
  metricsName?: string;
  /** Cached for every visitor without a session or flash cookie; with a parameter, each path by itself. */
  cached?: {
    /** The query strings that have a cached page of their own, "" for none. */
    searches: readonly string[];
    /** Whether any other query string, such as tracking parameters, is ignored. */
    ignoresOtherSearches?: boolean;
  };
  /**
   * Whether a signed-in viewer's page is filled in from a template where there is one: what it renders has to depend
   * on its address and on what its loaders return, and on nothing else (`docs/decisions/0038-filled-in-pages.md`).
   * `ownValues` is given what its own loader has returned.
   */
  filledIn?: { ownValues?(data: unknown): OwnValues };
  /** False for what health checks, scrapers and Stripe request, under whatever host name they use. */
  hostCheck?: false;
  /** False for what other programs post to, authenticated by a signature or a token. */
  originCheck?: false;
  /** False for what must be answered however many pages are being rendered. */
  pageSlot?: false;
  /** Log level of a request's line; `info` by default, `debug` for routes polled every few seconds. */
  logLevel?: "debug";
};
