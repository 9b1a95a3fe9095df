import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "~/features/accounts/password-limits";
import { FORGOT_PASSWORD_PATH } from "~/features/accounts/password-reset-paths";
import { Button } from "~/ui/button";
import { PasswordField } from "~/ui/field";
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
        {/* tells password managers whose password it is */}
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          label="Current password"
          name="password"
          autoComplete="current-password"
          required
          maxLength={PASSWORD_MAX_LENGTH}
        />
        <PasswordField
          label="New password"
          name="newPassword"
          autoComplete="new-password"
          required
          minLength={PASSWORD_MIN_LENGTH}
          maxLength={PASSWORD_MAX_LENGTH}
          hint={`At least ${PASSWORD_MIN_LENGTH} characters`}
        />
        <Button type="submit" variant="secondary">
          Change password
        </Button>
      </form>
    </AccountSection>
  );
}
