import { Button, EmailField } from "~/ui";
import { FORGOT_PASSWORD_PATH } from "./auth-paths";
import { PasswordResetFrame } from "./password-reset-frame";

type PasswordResetRequestPageProps = {
  /** The email from a failed attempt, to restore. */
  email: string | null;
  /** What led here: the form was just sent, and is kept for another attempt, or a link was used up or too old. */
  after: "sent" | "old" | null;
};

const WORDS = {
  sent: {
    heading: "Check your email",
    text: "If this address has an account, a link to choose a new password is on its way. It works for one hour. Didn’t get it within a few minutes? Check your spam folder, or try again below.",
    label: "Send it again",
  },
  old: {
    heading: "This link no longer works",
    text: "Links work once, for an hour. Enter your account’s email and we’ll send a new one.",
    label: "Send a new link",
  },
  asked: {
    heading: "Forgot your password?",
    text: "Enter your account’s email and we’ll send a reset link.",
    label: "Send link",
  },
};

/** The page that asks where to send a password reset link. */
export function PasswordResetRequestPage({ email, after }: PasswordResetRequestPageProps) {
  const { heading, text, label } = WORDS[after ?? "asked"];
  return (
    <PasswordResetFrame heading={heading}>
      <p className="mt-4 text-ink-soft">{text}</p>
      <form method="post" action={FORGOT_PASSWORD_PATH} className="mt-8 grid gap-6">
        <EmailField label="Email" autoComplete="username" defaultValue={email ?? ""} />
        <Button
          type="submit"
          variant={after === "sent" ? "secondary" : "primary"}
          className="mt-2 w-full"
        >
          {label}
        </Button>
      </form>
    </PasswordResetFrame>
  );
}
