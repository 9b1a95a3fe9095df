import {
  CurrentPasswordField,
  NewPasswordField,
  PasswordOwner,
} from "~/features/accounts/password-fields";
import { FORGOT_PASSWORD_PATH } from "~/features/accounts/password-reset-paths";
import { Button } from "~/ui/button";
import { AccountSection } from "./account-section";

/** Changes the password, with the old one. */
export function PasswordSection({ email }: { email: string }) {
  return (
    <AccountSection id="password" title="Password">
      <p>
        A new password signs you out everywhere but here.{" "}
        <a href={FORGOT_PASSWORD_PATH}>Forgot your password?</a>
      </p>
      <form method="post" action="/account/password" className="account-form">
        <PasswordOwner email={email} />
        <CurrentPasswordField label="Current password" />
        <NewPasswordField name="newPassword" />
        <Button type="submit" variant="secondary">
          Change password
        </Button>
      </form>
    </AccountSection>
  );
}
