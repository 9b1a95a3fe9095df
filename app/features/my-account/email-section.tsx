import { CurrentPasswordField } from "~/features/accounts/password-fields";
import { Button, EmailField } from "~/ui";
import { AccountSection } from "./account-section";

export type EmailState = {
  isConfirmed: boolean;
  /** The unconfirmed new address; null for none. */
  waiting: string | null;
  /** Whether a passkey was used recently, so no password is required. */
  isVerifiedByPasskey: boolean;
};

/** The account's address, whether it is confirmed, and the form to change it. */
export function EmailSection({
  email,
  state,
  typed,
}: {
  email: string;
  state: EmailState;
  /** The email from a failed attempt, to restore. */
  typed: string | null;
}) {
  const { isConfirmed, waiting, isVerifiedByPasskey } = state;
  return (
    <AccountSection id="email" title="Email">
      <p className="wrap-anywhere">
        <strong className="text-ink">{email}</strong>
        {isConfirmed ? ", confirmed" : ", not confirmed yet"}
      </p>
      {!isConfirmed && (
        <form method="post" action="/account/confirmation">
          <Button type="submit" variant="secondary">
            Send a new confirmation link
          </Button>
        </form>
      )}
      {waiting && (
        <p className="wrap-anywhere">
          Waiting for confirmation: <strong className="text-ink">{waiting}</strong>. Please open the
          link we sent there.
        </p>
      )}
      <form method="post" action="/account/email" className="account-form">
        <EmailField label="New email" autoComplete="email" defaultValue={typed ?? ""} />
        {!isVerifiedByPasskey && <CurrentPasswordField label="Your password" />}
        <Button type="submit" variant="secondary">
          Change email
        </Button>
      </form>
    </AccountSection>
  );
}
