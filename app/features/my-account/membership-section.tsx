import { Link } from "@remix-run/react";
import type { ViewerProfile } from "~/features/accounts/viewer";
import {
  INVOICES_LABEL,
  ManageMembershipForm,
  MembershipActions,
} from "~/features/billing/manage-membership-form";
import { MembershipStatusText } from "~/features/billing/membership-status-text";
import { UpgradeForm } from "~/features/billing/upgrade-button";
import { AccountSection } from "./account-section";

/** The membership's status and end of access, and the links to Stripe's portal. */
export function MembershipSection({
  profile,
  isSubscribed,
}: {
  profile: ViewerProfile | null;
  isSubscribed: boolean;
}) {
  return (
    <AccountSection id="membership" title="Membership">
      {isSubscribed && profile ? (
        <>
          <p>
            You’re a premium member. <MembershipStatusText profile={profile} />
          </p>
          <div className="account-actions">
            <MembershipActions profile={profile} />
            {profile.status.kind === "complimentary" && <UpgradeForm />}
            <Link to="/premium" className="text-link">
              Go to the members’ area
            </Link>
          </div>
        </>
      ) : (
        <>
          <p>
            {profile?.hasInvoices
              ? "You don’t have a premium membership right now."
              : "You don’t have a premium membership."}
          </p>
          <div className="account-actions">
            {profile?.problem && <MembershipActions profile={profile} />}
            {profile?.hasInvoices && !profile.problem && (
              <ManageMembershipForm label={INVOICES_LABEL} />
            )}
            <Link to="/#purchase" className="text-link">
              See what premium members get
            </Link>
          </div>
        </>
      )}
    </AccountSection>
  );
}
