import { useLocation } from "@remix-run/react";
import type { ReactNode } from "react";
import { useRootData } from "~/features/accounts/root-data";
import type { Viewer } from "~/features/accounts/viewer";
import type { MembershipProblem } from "~/features/membership/membership-state";
import { ExclamationIcon } from "~/ui";
import { CARD_PATH } from "./billing-paths";
import { INVOICES_LABEL, ManageMembershipForm } from "./manage-membership-form";
import { AccessEnd } from "./membership-status-text";

type Notice = {
  what: string;
  next: ReactNode;
  /** Opens Stripe's portal or, for `isConfirmation`, its page for the invoice. */
  button: string;
  isUrgent: boolean;
  isConfirmation?: boolean;
};

/** A problem of the viewer's membership, its consequence, and a button to fix it. */
export function MembershipNotice({ viewer }: { viewer: Viewer }) {
  const { profile } = viewer;
  if (!profile?.problem) return null;
  const { what, next, button, isUrgent, isConfirmation } = noticeOf(profile.problem, viewer);
  const confirmUrl = isConfirmation ? profile.confirmPaymentUrl : null;
  return (
    <div className="membership-notice flex flex-wrap items-center gap-x-6 gap-y-4 rounded-md border border-gold border-l-[0.25rem] border-l-destructive bg-highlight px-5 py-4 max-[20rem]:px-3">
      <p className="flex flex-[1_1_min(18rem,100%)] gap-3 max-[20rem]:block">
        <ExclamationIcon className="mt-0.5 size-6 flex-none text-destructive" />
        <span>
          <strong>{what}</strong> {next}
        </span>
      </p>
      {confirmUrl ? (
        <a href={confirmUrl} className="button button-primary">
          {button}
        </a>
      ) : (
        <ManageMembershipForm label={button} variant={isUrgent ? "primary" : "secondary"} />
      )}
    </div>
  );
}

function noticeOf(problem: MembershipProblem, { profile, isSubscribed }: Viewer): Notice {
  const end = profile?.stripe_current_period_end;
  switch (problem) {
    case "past-due":
      return {
        what: "Your last membership payment didn’t go through.",
        // Adding a card does not pay the invoice: Stripe charges it at the next retry.
        next: (
          <>
            <KeepsAccess end={isSubscribed ? end : null} /> You can change your card or pay the open
            invoice now.
          </>
        ),
        button: "Update payment card",
        isUrgent: true,
      };
    case "unpaid":
      return {
        what: "Your membership hasn’t been paid for.",
        next: "Your access is paused until the open invoice is paid.",
        button: "Pay the open invoice",
        isUrgent: true,
      };
    case "refunded":
      return {
        what: "Your last payment was refunded, so your access has ended.",
        next:
          !profile || profile.status.kind === "renews" ? (
            "Your membership still renews. Cancel it if you don’t want to be charged again."
          ) : (
            <>
              Your membership ends on <AccessEnd at={profile.status.at} />.
            </>
          ),
        button: "Manage or cancel membership",
        isUrgent: profile?.status.kind === "renews",
      };
    case "disputed":
      return {
        what: "Your last payment is in dispute.",
        next: "Your membership is paused, and nothing is charged, until your bank settles it.",
        button: INVOICES_LABEL,
        isUrgent: false,
      };
    case "paused":
      return {
        what: "Your membership is paused.",
        next: "Nothing is charged. You’ll get access again when your membership resumes.",
        button: "Manage or cancel membership",
        isUrgent: false,
      };
    case "confirming":
      return {
        what: "Your payment is on its way.",
        next: isSubscribed
          ? "Bank debits take a few days. You keep your access in the meantime."
          : "Bank debits take up to 14 business days. You’ll get access as soon as it arrives.",
        button: INVOICES_LABEL,
        isUrgent: false,
      };
    case "paid-twice":
      return {
        what: "You have two memberships, and you’re paying for both.",
        next: "Cancel either of them on Stripe’s page. The other one continues.",
        button: "Manage or cancel membership",
        isUrgent: true,
      };
    case "to-confirm":
      return {
        what: "Please confirm your last membership payment.",
        next: (
          <>
            Your bank requires it. It takes a minute on Stripe’s page, with your current card.{" "}
            <KeepsAccess end={isSubscribed ? end : null} />
          </>
        ),
        button: "Confirm the payment",
        isUrgent: true,
        isConfirmation: true,
      };
  }
}

/** Says how long access lasts while a payment is owed; `end` is null if it has ended. */
export function KeepsAccess({ end }: { end: string | null | undefined }) {
  return end ? (
    <>
      You keep your access until <AccessEnd at={end} />.
    </>
  ) : (
    <>Your access is paused until the payment goes through.</>
  );
}

/** The notice under the header of every page that does not show it itself. */
export function MembershipBanner() {
  const { viewer } = useRootData();
  const { pathname } = useLocation();
  const problem = viewer?.profile?.problem;
  if (!viewer || !problem || pathname === "/premium" || pathname === CARD_PATH) return null;
  if (problem === "confirming" && pathname === "/checkout/success") return null;
  return (
    // above the landing page's first light, which extends under the header
    <section className="frame relative z-10 pt-4" aria-label="Your membership">
      <MembershipNotice viewer={viewer} />
    </section>
  );
}
