import { Button, EmailField } from "~/ui";
import { FORGOT_PASSWORD_PATH } from "./auth-paths";
import { PasswordResetFrame } from "./password-reset-frame";

type PasswordResetRequestPageProps = {
  /** The email from a failed attempt, to restore. */
  email: string | null;
  /** Whether the form was just sent. The page then says what happens next, and keeps the form for another attempt. */
  sent: boolean;
};

/** The page that asks where to send a password reset link. */
export function PasswordResetRequestPage({ email, sent }: PasswordResetRequestPageProps) {
  return (
    <PasswordResetFrame heading={sent ? "Check your email" : "Forgot your password?"}>
      <p className="mt-4 text-ink-soft">
        {sent
          ? "If there is an account with the address you gave, a link to choose a new password is on its way. It works for one hour. Nothing there after a few minutes? Check your spam folder, or try again below."
          : "Tell us the email of your account, and we will send you a link to choose a new one."}
      </p>
      <form method="post" action={FORGOT_PASSWORD_PATH} className="mt-8 grid gap-6">
        <EmailField label="Email" autoComplete="username" defaultValue={email ?? ""} />
        <Button type="submit" variant={sent ? "secondary" : "primary"} className="mt-2 w-full">
          {sent ? "Send it again" : "Send me a link"}
        </Button>
      </form>
    </PasswordResetFrame>
  );
}
