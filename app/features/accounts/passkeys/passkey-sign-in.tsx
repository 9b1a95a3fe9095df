import * as toasts from "~/toast-messages";
import { PasskeyButton } from "./passkey-button";
import { PASSKEY_SIGN_IN_PATH } from "./passkey-paths";
import { usePasskeySupport } from "./use-passkey-support";

/**
 * The button to sign in with a passkey, if the browser supports it; `leadsTo` is the page to go to, instead of the
 * landing page. Reserves its space until that is known.
 */
export function PasskeySignIn({ leadsTo }: { leadsTo?: string }) {
  const isSupported = usePasskeySupport();
  return (
    <div className="mt-6 min-h-[3.25rem]">
      {isSupported && (
        <PasskeyButton
          intent="sign-in"
          path={PASSKEY_SIGN_IN_PATH}
          leadsTo={leadsTo}
          failed={toasts.signInFailed}
          busyLabel="Signing In..."
          className="w-full"
        >
          Use a passkey
        </PasskeyButton>
      )}
    </div>
  );
}
