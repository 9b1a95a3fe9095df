import { RemixBrowser } from "@remix-run/react";
import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { KeepFields, rememberFields } from "./shell/keep-fields";

const restoreFields = rememberFields();

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
