import { Link } from "@remix-run/react";
import { PASSWORD_MAX_LENGTH } from "~/features/accounts/password-limits";
import { FORGOT_PASSWORD_PATH } from "~/features/accounts/password-reset-paths";
import { Button } from "~/ui/button";
import { PasswordField } from "~/ui/field";
import { ArrowLeftIcon } from "~/ui/icons";
import { ACCOUNT_PATH, VERIFY_PATH } from "./account-paths";

/** Asks for the password again before a sensitive step; `next` is the page that it leads to. */
export function VerifyPage({ email, next }: { email: string; next: string }) {
  return (
    <div className="frame account-page account-step">
      <Link to={ACCOUNT_PATH} className="back-link">
        <ArrowLeftIcon className="size-5" />
        Back to your account
      </Link>
      <h1 className="page-heading">Is it you?</h1>
      <p className="lead">Before this step, please enter your password once more.</p>
      <form method="post" action={VERIFY_PATH} className="account-form">
        <input type="hidden" name="next" value={next} />
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          maxLength={PASSWORD_MAX_LENGTH}
          autoFocus
        />
        <Button type="submit">Continue</Button>
      </form>
      <Link to={FORGOT_PASSWORD_PATH} className="text-link">
        Forgot your password?
      </Link>
    </div>
  );
}
