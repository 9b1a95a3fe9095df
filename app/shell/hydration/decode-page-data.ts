import { RemixBrowser } from "@remix-run/react";

/**
 * Waits until the page's data is decoded, for which RemixBrowser's first render would suspend. A key press or
 * tap makes React hydrate synchronously; if that suspends, React gives up for good ("Root did not complete"),
 * and a quick visitor would have a page without JavaScript.
 */
export async function decodePageData(): Promise<void> {
  try {
    // throws the promise it waits for before it calls any hooks
    RemixBrowser({});
  } catch (promise) {
    await promise;
  }
}
