/**
 * What a route declares of itself for the host, as its `handle` export. Without a word it gets what is safe:
 * every check, a page slot, no place in the cache.
 */
export type RouteHandle = {
  /** The route's label in the metrics of requests; those without one share `other`. */
  metricsName?: string;
  /** Cached for everybody who has no cookie of ours. */
  cached?: {
    /** The query strings that have a page of their own, "" for none. */
    searches: readonly string[];
    /** Whether any other query string changes nothing, such as what an advertiser adds to the address. */
    ignoresOtherSearches?: boolean;
  };
  /** False for what health checks, scrapers and Stripe ask under whatever name they know the machine by. */
  hostCheck?: false;
  /** False for what programs elsewhere post to, which prove themselves by a signature or a token. */
  originCheck?: false;
  /** False for what must be answered however many pages are being made. */
  pageSlot?: false;
  /** The level of the log line of a request; `info` unless it is asked every few seconds. */
  logLevel?: "debug";
};
