import { type FormEvent, useRef } from "react";
import { useAuth } from "~/features/accounts/auth-context";
import { useRootData } from "~/features/accounts/root-data";
import * as toasts from "~/toast-messages";
import { Button } from "~/ui/button";
import { CheckIcon } from "~/ui/icons";
import { postJson } from "~/ui/post-json";
import { useToast } from "~/ui/toaster";
import { useRedirecting } from "~/ui/use-redirecting";
import { checkoutDestination } from "./checkout-destination";
import { INVOICES_LABEL, ManageMembershipForm } from "./manage-membership-form";

/**
 * The premium button (specification, 4, 5 and 8): upgrades, or says that this is a member already. Whoever
 * has paid before reaches Stripe's portal from here too.
 */
export function UpgradeButton() {
  const { isSubscribed } = useAuth();
  const { viewer } = useRootData();
  return isSubscribed ? (
    <div className="flex flex-wrap gap-3">
      <Button disabled>
        <CheckIcon className="size-5" />
        You're a Premium Member!
      </Button>
      <ManageMembershipForm />
    </div>
  ) : (
    <div className="flex flex-wrap gap-3">
      <UpgradeForm />
      {viewer?.profile?.hasInvoices && <ManageMembershipForm label={INVOICES_LABEL} />}
    </div>
  );
}

function UpgradeForm() {
  const { user } = useAuth();
  const { payments } = useRootData();
  const toast = useToast();
  const [redirecting, setRedirecting] = useRedirecting();
  const reachFor = useStripeSignals(user ? (payments?.publishableKey ?? null) : null);

  const submit = async (event: FormEvent) => {
    if (redirecting) return event.preventDefault();
    if (user && !payments) return; // The plain form's answer says that checkout is not configured.
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
      <Button type="submit" busy={redirecting} onPointerEnter={reachFor} onFocus={reachFor}>
        {redirecting ? "Redirecting..." : "Upgrade to Premium"}
      </Button>
    </form>
  );
}

/**
 * A handler for the first sign of wanting to pay: it loads Stripe.js for its fraud signals, once, and only
 * with a publishable key. Nothing waits for it and its failure changes nothing.
 */
function useStripeSignals(publishableKey: string | null): () => void {
  const asked = useRef(false);
  return () => {
    if (asked.current || !publishableKey) return;
    asked.current = true;
    // the ES module by name: of the other one the bundler makes a default export alone
    import("@stripe/stripe-js/pure/index.mjs")
      .then(({ loadStripe }) => loadStripe(publishableKey))
      .catch(() => {});
  };
}
