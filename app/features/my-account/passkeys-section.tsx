import { useRevalidator, useSearchParams } from "@remix-run/react";
import { useEffect } from "react";
import { PasskeyButton } from "~/features/accounts/passkeys/passkey-button";
import { PASSKEY_NAME_MAX_LENGTH, PASSKEYS_PATH } from "~/features/accounts/passkeys/passkey-paths";
import { usePasskeySupport } from "~/features/accounts/passkeys/use-passkey-support";
import * as toasts from "~/toast-messages";
import { Button, TextField, UtcDate, useHydrated } from "~/ui";
import { ADD_PASSKEY, sectionPath } from "./account-paths";
import { AccountSection } from "./account-section";

/** A passkey as the page lists it; times are ISO 8601 instants. */
export type PasskeyView = {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
};

/** The account's passkeys. Adding one needs JavaScript; renaming and removing do not. */
export function PasskeysSection({ passkeys }: { passkeys: PasskeyView[] }) {
  return (
    <AccountSection id="passkeys" title="Passkeys">
      <p>
        A passkey logs you in with your fingerprint, face or screen lock instead of your password.
        Your password keeps working.
      </p>
      {passkeys.length > 0 && (
        <ul className="account-list">
          {passkeys.map((passkey) => (
            <PasskeyItem key={passkey.id} {...passkey} />
          ))}
        </ul>
      )}
      <AddPasskey />
    </AccountSection>
  );
}

function PasskeyItem({ id, name, createdAt, lastUsedAt }: PasskeyView) {
  return (
    <li>
      <div>
        <p className="wrap-anywhere text-ink">{name}</p>
        <p className="field-hint">
          Added <UtcDate at={createdAt} />,{" "}
          {lastUsedAt ? (
            <>
              last used <UtcDate at={lastUsedAt} />
            </>
          ) : (
            "not used yet"
          )}
        </p>
      </div>
      <form method="post" action={PASSKEYS_PATH}>
        <input type="hidden" name="intent" value="remove" />
        <input type="hidden" name="passkey" value={id} />
        <Button type="submit" variant="quiet">
          Remove<span className="sr-only"> {name}</span>
        </Button>
      </form>
      <details className="account-rename">
        <summary>
          Rename<span className="sr-only"> {name}</span>
        </summary>
        <form method="post" action={PASSKEYS_PATH} className="account-form">
          <input type="hidden" name="intent" value="rename" />
          <input type="hidden" name="passkey" value={id} />
          <TextField
            // a new name from the server replaces the typed one
            key={name}
            label="Name of this passkey"
            name="name"
            defaultValue={name}
            required
            maxLength={PASSKEY_NAME_MAX_LENGTH}
            autoComplete="off"
          />
          <Button type="submit" variant="secondary">
            Save name
          </Button>
        </form>
      </details>
    </li>
  );
}

/** The button that adds a passkey, or why there is none. Reserves its space until that is known. */
function AddPasskey() {
  const hydrated = useHydrated();
  const isSupported = usePasskeySupport();
  const { revalidate } = useRevalidator();
  const [search] = useSearchParams();
  const goesOn = search.has(ADD_PASSKEY);
  useEffect(() => {
    // opened again, the page must not begin by itself
    if (goesOn) history.replaceState(history.state, "", sectionPath("passkeys"));
  }, [goesOn]);
  return (
    <div className="account-add-passkey">
      {isSupported ? (
        <PasskeyButton
          intent="register"
          path={PASSKEYS_PATH}
          failed={toasts.accountFailed}
          busyLabel="Adding..."
          startsItself={goesOn}
          onDone={revalidate}
        >
          Add a passkey
        </PasskeyButton>
      ) : (
        hydrated && <p>This browser can’t make passkeys.</p>
      )}
      <noscript>
        <p>To add a passkey, please turn on JavaScript.</p>
      </noscript>
    </div>
  );
}
