import { Button } from "~/ui/button";
import { PasswordField } from "~/ui/field";
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "./password-limits";
import type { PasswordResetView } from "./password-reset.server";
import { PasswordResetFrame } from "./password-reset-frame";
import { RESET_PASSWORD_PATH } from "./password-reset-paths";

/** Where the holder of a reset link chooses a new password (at least 6 characters: specification, 5). */
export function PasswordResetPage({ token, email }: PasswordResetView) {
  return (
    <PasswordResetFrame heading="Choose a new password">
      <p className="mt-4 text-ink-soft">
        {email ? (
          <>
            For the account of <strong className="text-ink">{email}</strong>.{" "}
          </>
        ) : null}
        You will be signed in here, and signed out everywhere else.
      </p>
      <form method="post" action={RESET_PASSWORD_PATH} className="mt-8 grid gap-6">
        <input type="hidden" name="token" value={token} />
        {email && (
          // Tells password managers whose password is being set.
          <input type="email" autoComplete="username" value={email} readOnly hidden />
        )}
        <PasswordField
          label="New password"
          name="password"
          autoComplete="new-password"
          required
          minLength={PASSWORD_MIN_LENGTH}
          maxLength={PASSWORD_MAX_LENGTH}
          hint={`At least ${PASSWORD_MIN_LENGTH} characters`}
        />
        <Button type="submit" className="mt-2 w-full">
          Save the new password
        </Button>
      </form>
    </PasswordResetFrame>
  );
}
