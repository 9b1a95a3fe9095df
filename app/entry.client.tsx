import { RemixBrowser } from "@remix-run/react";
import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { KeepFields, rememberFields } from "./shell/keep-fields";

const restoreFields = rememberFields();

forgetDesk();

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <KeepFields restore={restoreFields}>
        <RemixBrowser />
      </KeepFields>
    </StrictMode>,
  );
});

/**
 * Makes the desk's addresses unknown to the router where the server has answered without its routes: elsewhere than on the desk
 * they lead to the page for unknown addresses. Remix reads its manifest when it hydrates.
 */
function forgetDesk(): void {
  if ("routes/desk" in window.__remixRouteModules) return;
  const { routes } = window.__remixManifest;
  for (const id of Object.keys(routes)) if (/^routes\/desk(?:$|[._])/.test(id)) delete routes[id];
}
