import { Button } from "~/ui";
import { RESET_PASSWORD_PATH } from "./auth-paths";
import { NewPasswordField, PasswordOwner } from "./password-fields";
import type { PasswordResetView } from "./password-reset.server";
import { PasswordResetFrame } from "./password-reset-frame";

/** The page on which a reset link's holder chooses a new password. */
export function PasswordResetPage({ token, email }: PasswordResetView) {
  return (
    <PasswordResetFrame heading="Choose a new password">
      <p className="mt-4 text-ink-soft">
        {email ? (
          <>
            For the account of <strong className="text-ink">{email}</strong>.{" "}
          </>
        ) : null}
        You’ll be logged in here and logged out everywhere else.
      </p>
      <form method="post" action={RESET_PASSWORD_PATH} className="mt-8 grid gap-6">
        <input type="hidden" name="token" value={token} />
        {email && <PasswordOwner email={email} />}
        <NewPasswordField name="password" />
        <Button type="submit" className="mt-2 w-full">
          Save new password
        </Button>
      </form>
    </PasswordResetFrame>
  );
}
