import "@remix-run/node";

/** Data from the HTTP process about a request, beyond its `Request`; absent under remix-serve. */
declare module "@remix-run/node" {
  interface AppLoadContext {
    requestId?: string;
    /** Allows this page's inline scripts; absent for a page rendered for the shared cache. */
    nonce?: string;
    clientAddress?: string;
    /** The peer of the connection, which may be a proxy, and whether TRUST_PROXY includes it. */
    connection?: () => { peer: string; isPeerTrusted: boolean };
    /** Whether the response is a whole page, and not the data for a client-side navigation. */
    isDocument?: boolean;
    /** Set by an action that rejected a plain form: what to render the response from. */
    rejectedForm?: { page: string; flashCookie: string; retryAfter: string; status: 429 | 503 };
  }
}
