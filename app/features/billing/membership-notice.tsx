import { useLocation } from "@remix-run/react";
import { useRootData } from "~/features/accounts/use-root-data";
import type { Viewer } from "~/features/accounts/viewer";
import { ExclamationIcon } from "~/ui/icons";
import { AccessEnd } from "./access-end";
import { ManageMembershipForm } from "./manage-membership-form";

/** What is wrong with a membership whose last payment failed, until when it lasts, and the way to mend it. */
export function MembershipNotice({ viewer }: { viewer: Viewer }) {
  const { profile, isSubscribed } = viewer;
  if (!profile?.pastDue) return null;
  const end = profile.stripe_current_period_end;
  return (
    <div className="membership-notice">
      <p>
        <ExclamationIcon />
        <span>
          <strong>Your last membership payment did not go through.</strong>{" "}
          {isSubscribed && end ? (
            <>
              You keep your access until <AccessEnd at={end} />.
            </>
          ) : (
            "Your access is paused until it does."
          )}
        </span>
      </p>
      <ManageMembershipForm label="Update payment card" variant="primary" />
    </div>
  );
}

/** The notice under the header, on every page that does not carry it itself. */
export function MembershipBanner() {
  const { viewer } = useRootData();
  const { pathname } = useLocation();
  if (!viewer?.profile?.pastDue || pathname === "/premium") return null;
  return (
    <section className="frame pt-4" aria-label="Your membership">
      <MembershipNotice viewer={viewer} />
    </section>
  );
}
