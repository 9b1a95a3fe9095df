import { Link } from "@remix-run/react";
import type { ViewerProfile } from "~/features/accounts/viewer";
import { INVOICES_LABEL, ManageMembershipForm } from "~/features/billing/manage-membership-form";
import { AccessEnd, MembershipStatusText } from "~/features/billing/membership-status-text";
import { AccountSection } from "./account-section";

/** The membership's status and end of access, and the links to Stripe's portal. */
export function MembershipSection({
  profile,
  isSubscribed,
}: {
  profile: ViewerProfile | null;
  isSubscribed: boolean;
}) {
  const end = profile?.stripe_current_period_end;
  return (
    <AccountSection id="membership" title="Membership">
      {isSubscribed && profile && end ? (
        <>
          <p>
            {profile.status.kind === "renews" ? (
              <>
                You are a premium member, with access until at least <AccessEnd at={end} />.
              </>
            ) : (
              // its status says when it ends
              "You are a premium member."
            )}{" "}
            <MembershipStatusText profile={profile} />
          </p>
          <div className="account-actions">
            <ManageMembershipForm />
            <Link to="/premium" className="text-link">
              To the members’ area
            </Link>
          </div>
        </>
      ) : (
        <>
          <p>
            {profile?.hasInvoices
              ? "You are not a premium member any more, or not at the moment."
              : "You are not a premium member."}
          </p>
          <div className="account-actions">
            {profile?.hasInvoices && <ManageMembershipForm label={INVOICES_LABEL} />}
            <Link to="/#purchase" className="text-link">
              See what premium members get
            </Link>
          </div>
        </>
      )}
    </AccountSection>
  );
}
