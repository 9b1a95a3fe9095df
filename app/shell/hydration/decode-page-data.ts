import { RemixBrowser } from "@remix-run/react";

/**
 * Waits until the page's data is decoded, for which RemixBrowser's first render would suspend. A key or a
 * tap makes React hydrate at once, which must not suspend: it would give up for good ("Root did not
 * complete"), and whoever was quick would have a page without JavaScript.
 */
export async function decodePageData(): Promise<void> {
  try {
    // throws the promise it waits for, before it comes to its hooks
    RemixBrowser({});
  } catch (promise) {
    await promise;
  }
}
