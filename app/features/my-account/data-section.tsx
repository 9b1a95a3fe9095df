import { ACCOUNT_DATA_PATH } from "./account-paths";
import { AccountSection } from "./account-section";

/** Leads to the file with everything that is held about the account. */
export function DataSection() {
  return (
    <AccountSection id="data" title="Your data">
      <p>
        Everything that we hold about you, in one file made on the spot: your account, your
        membership, where you are signed in, how far you have read, and your notes as Markdown. If
        you have not entered your password for ten minutes, you are asked for it first.
      </p>
      {/* without `download`, with which a browser would save the page that asks for the password */}
      <a href={ACCOUNT_DATA_PATH} className="button button-secondary">
        Download your data
      </a>
    </AccountSection>
  );
}
