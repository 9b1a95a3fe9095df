import { Link } from "@remix-run/react";
import { type FormEvent, Fragment, useRef } from "react";
import { useAuth } from "~/features/accounts/auth-context";
import { useRootData } from "~/features/accounts/root-data";
import { LegalLinks } from "~/features/site/legal-links";
import * as toasts from "~/toast-messages";
import { Button, CheckIcon, postJson, useRedirecting, useToast } from "~/ui";
import { checkoutDestination } from "./checkout-destination";
import { INVOICES_LABEL, ManageMembershipForm } from "./manage-membership-form";

/**
 * The premium button (specification, 4, 5 and 8): upgrades, or shows that the viewer is a member. Users who have paid
 * before can also open Stripe's portal.
 */
export function UpgradeButton() {
  const { user, loading, isSubscribed } = useAuth();
  const { viewer } = useRootData();
  return isSubscribed ? (
    <div className="flex flex-wrap gap-3">
      <Button disabled>
        <CheckIcon className="size-5" />
        You're a Premium Member!
      </Button>
      {viewer?.profile?.status.kind !== "complimentary" && <ManageMembershipForm />}
    </div>
  ) : (
    <div id="upgrade" className="grid scroll-mt-24 gap-3" data-clear-of-toast>
      <div className="flex flex-wrap gap-3">
        {viewer?.profile?.problem === "confirming" ? (
          <Button disabled>Upgrade to Premium</Button>
        ) : (
          <UpgradeForm />
        )}
        {viewer?.profile?.hasInvoices && <ManageMembershipForm label={INVOICES_LABEL} />}
      </div>
      {!user && !loading && (
        <p className="flex flex-wrap gap-x-6">
          {toasts.authenticationRequired.links?.map(({ label, to }) => (
            <Fragment key={to}>
              <Link to={to} className="text-link">
                {label}
              </Link>{" "}
            </Fragment>
          ))}
        </p>
      )}
      <LegalLinks />
    </div>
  );
}

/** The form that opens a checkout. */
export function UpgradeForm() {
  const { user } = useAuth();
  const { payments } = useRootData();
  const toast = useToast();
  const [redirecting, setRedirecting] = useRedirecting();
  const loadStripeSignals = useStripeSignals(user ? (payments?.publishableKey ?? null) : null);

  const submit = async (event: FormEvent) => {
    if (redirecting) return event.preventDefault();
    if (user && !payments) return; // The plain form's response says that checkout is not configured.
    event.preventDefault();
    if (!user || !payments) return toast(toasts.authenticationRequired);
    setRedirecting(true);
    try {
      const answer = await postJson("/checkout", { priceId: payments.priceId });
      const destination = checkoutDestination(answer);
      // Stays 'Redirecting...' until the browser has left.
      if ("url" in destination) return window.location.assign(destination.url);
      toast(destination.toast);
    } catch {
      toast(toasts.checkoutFailed());
    }
    setRedirecting(false);
  };

  return (
    <form method="post" action="/checkout" onSubmit={submit}>
      <input type="hidden" name="priceId" value={payments?.priceId ?? ""} />
      <Button
        type="submit"
        busy={redirecting}
        onPointerEnter={loadStripeSignals}
        onFocus={loadStripeSignals}
      >
        {redirecting ? "Redirecting..." : "Upgrade to Premium"}
      </Button>
    </form>
  );
}

/**
 * Returns a hover and focus handler that loads Stripe.js for its fraud signals, once and only with a publishable key.
 * Nothing waits for it, and failures are ignored.
 */
function useStripeSignals(publishableKey: string | null): () => void {
  const requested = useRef(false);
  return () => {
    if (requested.current || !publishableKey) return;
    requested.current = true;
    // Import the ES module: the bundler gives the CommonJS one only a default export.
    import("@stripe/stripe-js/pure/index.mjs")
      .then(({ loadStripe }) => loadStripe(publishableKey))
      .catch(() => {});
  };
}
