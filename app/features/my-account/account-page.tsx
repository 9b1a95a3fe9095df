import { FORGOT_PASSWORD_PATH } from "~/features/accounts/auth-paths";
import {
  CurrentPasswordField,
  NewPasswordField,
  PasswordOwner,
} from "~/features/accounts/password-fields";
import type { Viewer } from "~/features/accounts/viewer";
import { Button, UtcDate } from "~/ui";
import {
  ACCOUNT_DATA_PATH,
  DELETE_PATH,
  sectionPath,
  VERIFY_PATH,
  verifyPath,
} from "./account-paths";
import { AccountSection } from "./account-section";
import type { AccountView } from "./account-view.server";
import { EmailSection } from "./email-section";
import { MembershipSection } from "./membership-section";
import { NewsletterSection } from "./newsletter-section";
import { PasskeysSection } from "./passkeys-section";
import { PictureSection } from "./picture-section";
import { SessionsSection } from "./sessions-section";

type AccountPageProps = {
  /** Whether the account may open the desk. */
  isAuthor: boolean;
  /** The email from a failed change of address, to restore. */
  typedEmail: string | null;
  viewer: Viewer;
  view: AccountView;
};

/** The account page: sections with their own forms. */
export function AccountPage({ isAuthor, viewer, view, typedEmail }: AccountPageProps) {
  const { user, profile, isSubscribed } = viewer;
  return (
    <div className="frame account-page">
      <header>
        <h1 className="page-heading">My Account</h1>
        <p className="lead wrap-anywhere">{user.readableEmail}</p>
        {/* of all pages, only the desk's own know its routes */}
        {isAuthor && <a href="/desk">Open the author’s desk</a>}
      </header>
      <MembershipSection profile={profile} isSubscribed={isSubscribed} />
      <PictureSection email={user.email} picture={view.picture ?? user.user_metadata.avatar_url} />
      <EmailSection email={user.readableEmail} state={view.email} typed={typedEmail} />
      <PasswordSection
        email={user.email}
        isGuessable={view.isPasswordGuessable}
        hasPasskeys={view.passkeys.length > 0}
        hasPodcast={view.podcastSince !== null}
      />
      <PasskeysSection passkeys={view.passkeys} />
      {view.podcastSince && <PodcastSection since={view.podcastSince} />}
      <SessionsSection sessions={view.sessions} />
      <NewsletterSection
        state={view.newsletter}
        newTexts={isSubscribed || view.newTextsMail ? view.newTextsMail : null}
      />
      <DataSection />
      <DeleteSection
        hasPasskeys={view.passkeys.length > 0}
        isVerifiedByPasskey={view.email.isVerifiedByPasskey}
      />
    </div>
  );
}

/** The link to a file with all data held about the account. */
function DataSection() {
  return (
    <AccountSection id="data" title="Your data">
      <p>
        Everything we have about you, in one file, made when you ask: your account, your membership,
        where you’re logged in, how far you’ve read, your highlights, and your notes as Markdown. We
        ask for your password first if you haven’t entered it in the last ten minutes.
      </p>
      {/* without `download`, which would save the page that asks for the password */}
      <a href={ACCOUNT_DATA_PATH} className="button button-secondary">
        Download your data
      </a>
    </AccountSection>
  );
}

type DeleteSectionProps = {
  hasPasskeys: boolean;
  /** Whether a passkey was used recently, so no password is required. */
  isVerifiedByPasskey: boolean;
};

/** The first step of deleting the account; asks for the password or a passkey. */
function DeleteSection({ hasPasskeys, isVerifiedByPasskey }: DeleteSectionProps) {
  return (
    <AccountSection id="delete" title="Delete account">
      <p>This can’t be undone. The next page lists what is deleted and asks again.</p>
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

type PasswordSectionProps = {
  email: string;
  isGuessable: boolean;
  hasPasskeys: boolean;
  hasPodcast: boolean;
};

/** The form that changes the password; requires the old one. Says what else opens the account. */
function PasswordSection({ email, isGuessable, hasPasskeys, hasPodcast }: PasswordSectionProps) {
  return (
    <AccountSection id="password" title="Password">
      {isGuessable && (
        <p>
          <strong className="text-ink">Your password is easy to guess.</strong> It’s one of the most
          common ones, or it’s your address. Please choose another one.
        </p>
      )}
      <p>
        A new password logs you out everywhere but here.{" "}
        <a href={FORGOT_PASSWORD_PATH}>Forgot your password?</a>
      </p>
      {(hasPasskeys || hasPodcast) && (
        <p>
          These also open your account, and a new password doesn’t change them:{" "}
          {hasPasskeys && <a href={sectionPath("passkeys")}>your passkeys</a>}
          {hasPasskeys && hasPodcast && " and "}
          {hasPodcast && <a href={sectionPath("podcast")}>your podcast address</a>}. Please remove
          any that aren’t yours.
        </p>
      )}
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

/** The podcast address, which plays the book's sounds to all who know it, and the form that removes it. */
function PodcastSection({ since }: { since: string }) {
  return (
    <AccountSection id="podcast" title="Podcast address">
      <p>
        Anyone with this address can listen as you. You got it on <UtcDate at={since} />.
      </p>
      <form method="post" action="/account/sessions" className="account-form">
        <input type="hidden" name="intent" value="remove-podcast" />
        <Button type="submit" variant="secondary">
          Remove podcast address
        </Button>
      </form>
    </AccountSection>
  );
}
