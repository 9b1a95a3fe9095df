import type { WhileOutside } from "./page-slots.server";

/** What the HTTP process knows of a request beyond its `Request`; absent under remix-serve. */
declare module "@remix-run/node" {
  interface AppLoadContext {
    requestId?: string;
    /** Lets this page's inline scripts run; absent for a page that is cached for everybody. */
    nonce?: string;
    clientAddress?: string;
    /** Lends the page's slot to others while somebody outside is waited for; absent for what has no slot. */
    whileOutside?: WhileOutside;
    /** Set by an action that turned a plain form away: what the answer's page is rendered from. */
    refusedForm?: { page: string; flashCookie: string; retryAfter: string; status: 429 | 503 };
  }
}
