import { CurrentPasswordField } from "~/features/accounts/password-fields";
import { Button } from "~/ui/button";
import { DELETE_PATH, VERIFY_PATH, verifyPath } from "./account-paths";
import { AccountSection } from "./account-section";

type DeleteSectionProps = {
  hasPasskeys: boolean;
  /** Whether a passkey was used so lately that no password is wanted. */
  isVerifiedByPasskey: boolean;
};

/** The first step of deleting the account, which asks for the password or a passkey. */
export function DeleteSection({ hasPasskeys, isVerifiedByPasskey }: DeleteSectionProps) {
  return (
    <AccountSection id="delete" title="Delete account">
      <p>For good, with everything in it. The next page says what goes, and asks once more.</p>
      <form method="post" action={VERIFY_PATH} className="account-form">
        <input type="hidden" name="next" value={DELETE_PATH} />
        {!isVerifiedByPasskey && <CurrentPasswordField label="Your password" />}
        <Button type="submit" variant="secondary">
          Delete account
        </Button>
      </form>
      {hasPasskeys && !isVerifiedByPasskey && (
        <a href={verifyPath(DELETE_PATH)}>Delete it with a passkey instead</a>
      )}
    </AccountSection>
  );
}
