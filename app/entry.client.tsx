import { RemixBrowser } from "@remix-run/react";
import { StrictMode, Suspense, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";

// RemixBrowser suspends until the page's data is decoded. Without this boundary, which entry.server.tsx has too, a key
// press at that moment makes React 18 give up hydration.
startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <Suspense>
        <RemixBrowser />
      </Suspense>
    </StrictMode>,
  );
});
