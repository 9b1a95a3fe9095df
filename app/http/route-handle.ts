/**
 * What a route declares to the host in its `handle` export. The defaults are the safe choice: every check
 * applies, pages are rendered in their turn, nothing is cached.
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
  /** False for what health checks, scrapers and Stripe request, under whatever host name they use. */
  hostCheck?: false;
  /** False for what other programs post to, authenticated by a signature or a token. */
  originCheck?: false;
  /** False for what is answered however many pages are being rendered, and for what waits for another service. */
  inTurn?: false;
  /** Log level of a request's line; `info` by default, `debug` for routes polled every few seconds. */
  logLevel?: "debug";
};
