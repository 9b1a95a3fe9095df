import { Link } from "@remix-run/react";
import { FORGOT_PASSWORD_PATH } from "~/features/accounts/auth-paths";
import { PasskeyButton } from "~/features/accounts/passkeys/passkey-button";
import { PASSKEYS_PATH } from "~/features/accounts/passkeys/passkey-paths";
import { usePasskeySupport } from "~/features/accounts/passkeys/use-passkey-support";
import { CurrentPasswordField, PasswordOwner } from "~/features/accounts/password-fields";
import * as toasts from "~/toast-messages";
import { ArrowLeftIcon, Button } from "~/ui";
import { ACCOUNT_PATH, VERIFY_PATH } from "./account-paths";

type VerifyPageProps = {
  email: string;
  /** The page to go to afterward. */
  next: string;
  hasPasskeys: boolean;
};

/** Asks for the password, or a passkey, again before a sensitive step. */
export function VerifyPage({ email, next, hasPasskeys }: VerifyPageProps) {
  const isPasskeySupported = usePasskeySupport();
  return (
    <div className="frame account-page account-step">
      <Link to={ACCOUNT_PATH} className="back-link">
        <ArrowLeftIcon className="size-5" />
        Back to your account
      </Link>
      <h1 className="page-heading mt-6">Is this you?</h1>
      <p className="lead">Enter your password to continue.</p>
      {hasPasskeys && (
        <div className="account-passkey-way">
          {isPasskeySupported && (
            <PasskeyButton
              intent="verify"
              path={PASSKEYS_PATH}
              leadsTo={next}
              // no other page has the desk's routes
              onDone={next.startsWith("/desk") ? () => location.assign(next) : undefined}
              failed={toasts.accountFailed}
              busyLabel="One moment..."
            >
              Use a passkey
            </PasskeyButton>
          )}
        </div>
      )}
      <form method="post" action={VERIFY_PATH} className="account-form">
        <input type="hidden" name="next" value={next} />
        <PasswordOwner email={email} />
        <CurrentPasswordField label="Password" autoFocus />
        <Button type="submit">Continue</Button>
      </form>
      <Link to={FORGOT_PASSWORD_PATH} className="text-link">
        Forgot your password?
      </Link>
    </div>
  );
}
