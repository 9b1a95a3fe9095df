import type { ReactNode } from "react";
import { LogInHere } from "~/features/accounts/log-in-here";
import type { Viewer } from "~/features/accounts/viewer";
import { ButtonLink, PathDrawing } from "~/ui";
import { CARD_PATH } from "./billing-paths";
import { INVOICES_LABEL, ManageMembershipForm, MembershipActions } from "./manage-membership-form";
import { KeepsAccess, MembershipNotice } from "./membership-notice";
import { MembershipStatusText, PaymentText } from "./membership-status-text";

/**
 * The page mails link to, to change the payment card, or to manage the membership if its state has changed since. It
 * has a form, because Stripe's portal opens only on request of a signed-in user.
 */
export function CardPage({ viewer }: { viewer: Viewer | null }) {
  if (!viewer) {
    return (
      <Frame heading="Log in to your membership" lead="You’ll come back to this page.">
        <LogInHere returnTo={CARD_PATH} />
      </Frame>
    );
  }
  const { profile, isSubscribed } = viewer;
  const problem = profile?.problem ?? null;
  const status = profile?.status ?? { kind: "renews" };
  const isUncharged = status.kind === "ends" || status.kind === "complimentary";
  if (profile && problem === null && isSubscribed && isUncharged) {
    return (
      <Frame
        heading="Your membership"
        lead={
          <>
            <MembershipStatusText profile={profile} /> There’s no card to update.
          </>
        }
      >
        <div className="mt-8 flex flex-wrap gap-3">
          <MembershipActions profile={profile} />
        </div>
      </Frame>
    );
  }
  if (problem === "past-due" || (problem === null && isSubscribed)) {
    return (
      <Frame heading="Update your payment card" lead={whyUpdate(viewer)}>
        <ManageMembershipForm
          label="Update payment card"
          variant="primary"
          className="mt-8"
          // a canceled membership can also be resumed, which needs the overview
          page={status.kind === "renews" ? "card" : undefined}
        />
      </Frame>
    );
  }
  if (problem !== null) {
    return (
      <Frame heading="Your membership">
        <div className="mt-8">
          <MembershipNotice viewer={viewer} />
        </div>
      </Frame>
    );
  }
  return (
    <Frame
      heading="No current membership"
      lead={
        profile?.hasInvoices
          ? "Your membership has ended, so there’s no card to update and nothing to pay."
          : "This account has no membership, so there’s no card to update. If you’re paying for one, log in with its email address."
      }
    >
      <div className="mt-8 flex flex-wrap gap-3">
        <ButtonLink to="/#purchase">See the premium offer</ButtonLink>
        {profile?.hasInvoices && <ManageMembershipForm label={INVOICES_LABEL} />}
      </div>
    </Frame>
  );
}

type FrameProps = { heading: string; lead?: ReactNode; children: ReactNode };

function Frame({ heading, lead, children }: FrameProps) {
  return (
    <section className="frame outcome-page">
      <PathDrawing shows="waiting" />
      <p className="eyebrow">Premium</p>
      <h1 className="page-heading">{heading}</h1>
      {lead && <p className="lead">{lead}</p>}
      {children}
    </section>
  );
}

function whyUpdate({ profile, isSubscribed }: Viewer): ReactNode {
  if (profile?.problem !== "past-due") {
    const payment = profile?.nextPayment;
    return (
      <>
        Your membership is paid for. {payment && "It renews "}
        {payment && <PaymentText payment={payment} />}
        {payment && ". "}The next payment will use your new card.
      </>
    );
  }
  const end = profile.stripe_current_period_end;
  return (
    <>
      Your last membership payment didn’t go through.{" "}
      <KeepsAccess end={isSubscribed ? end : null} /> Enter another card, and we’ll charge it right
      away.
    </>
  );
}
