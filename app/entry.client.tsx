import { RemixBrowser } from "@remix-run/react";
import { StrictMode, Suspense, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";

// The boundary, which entry.server.tsx has too: RemixBrowser suspends until the page's data is decoded. Without it, a key
// press at that moment makes React 18 give the page up.
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
