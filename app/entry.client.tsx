import { RemixBrowser } from "@remix-run/react";
import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";

void pageData().then(() => {
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <RemixBrowser />
      </StrictMode>,
    );
  });
});

/**
 * Resolves when the page's data is decoded, for which RemixBrowser's first render suspends. A key press makes React 18
 * hydrate at once; if that suspends, React gives up for good, and a quick visitor would have a page without scripts.
 */
async function pageData(): Promise<void> {
  try {
    // throws the promise it waits for before it calls any hooks
    RemixBrowser({});
  } catch (promise) {
    await promise;
  }
}
