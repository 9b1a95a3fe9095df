import type { Viewer } from "~/features/accounts/viewer";
import type { loadAccountView } from "./account-view.server";
import { MembershipSection } from "./membership-section";
import { NewsletterSection } from "./newsletter-section";
import { PasskeysSection } from "./passkeys-section";
import { PasswordSection } from "./password-section";
import { SessionsSection } from "./sessions-section";

type AccountPageProps = {
  viewer: Viewer;
  view: Awaited<ReturnType<typeof loadAccountView>>;
};

/** The page on which somebody looks after their account: sections with forms of their own. */
export function AccountPage({ viewer, view }: AccountPageProps) {
  const { user, profile, isSubscribed } = viewer;
  return (
    <div className="frame account-page">
      <header>
        <h1 className="page-heading">My Account</h1>
        <p className="lead wrap-anywhere">{user.email}</p>
      </header>
      <MembershipSection profile={profile} isSubscribed={isSubscribed} />
      <PasswordSection email={user.email} />
      <PasskeysSection passkeys={view.passkeys} />
      <SessionsSection sessions={view.sessions} />
      <NewsletterSection state={view.newsletter} />
    </div>
  );
}
