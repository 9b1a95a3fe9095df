/**
 * A route's declarations to the host, in its `handle` export. The defaults are the safe choice: every check applies,
 * pages are rendered in their turn, nothing is cached.
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
  /** False for routes that health checks, scrapers and Stripe may request under any host name. */
  hostCheck?: false;
  /** False for routes that other programs post to, authenticated by a signature or a token. */
  originCheck?: false;
  /** True for public pictures and sounds that other sites' pages show, such as link previews and podcast apps. */
  embeddable?: true;
  /** False for routes that do not queue with the pages being rendered, such as those that wait for another service. */
  inTurn?: false;
  /**
   * What surrounds the page, in place of the site's header and footer: the author's desk, or a frame on a page of the desk that
   * shows a preview without scripts.
   */
  frame?: "desk" | "preview";
  /** Log level of a request's line; `info` by default, `debug` for routes polled every few seconds. */
  logLevel?: "debug";
};
