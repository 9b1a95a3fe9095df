import type { Viewer } from "~/features/accounts/viewer";
import type { AccountView } from "./account-view.server";
import { DataSection } from "./data-section";
import { DeleteSection } from "./delete-section";
import { EmailSection } from "./email-section";
import { MembershipSection } from "./membership-section";
import { NewsletterSection } from "./newsletter-section";
import { PasskeysSection } from "./passkeys-section";
import { PasswordSection } from "./password-section";
import { PictureSection } from "./picture-section";
import { SessionsSection } from "./sessions-section";

type AccountPageProps = {
  /** What a failed attempt to change the address left in its field. */
  typedEmail: string | null;
  viewer: Viewer;
  view: AccountView;
};

/** The page on which somebody looks after their account: sections with forms of their own. */
export function AccountPage({ viewer, view, typedEmail }: AccountPageProps) {
  const { user, profile, isSubscribed } = viewer;
  return (
    <div className="frame account-page">
      <header>
        <h1 className="page-heading">My Account</h1>
        <p className="lead wrap-anywhere">{user.email}</p>
      </header>
      <MembershipSection profile={profile} isSubscribed={isSubscribed} />
      <PictureSection email={user.email} picture={view.picture ?? user.user_metadata.avatar_url} />
      <EmailSection email={user.email} state={view.email} typed={typedEmail} />
      <PasswordSection email={user.email} />
      <PasskeysSection passkeys={view.passkeys} />
      <SessionsSection sessions={view.sessions} />
      <NewsletterSection state={view.newsletter} />
      <DataSection />
      <DeleteSection
        hasPasskeys={view.passkeys.length > 0}
        isVerifiedByPasskey={view.email.isVerifiedByPasskey}
      />
    </div>
  );
}
