import type { JsonAnswer } from "~/ui/post-json";
import { checkoutErrors, type ToastMessage, toasts } from "~/ui/toast-messages";

/** Where a checkout goes on, or the toast that says why it does not. */
export type CheckoutDestination = { url: string } | { toast: ToastMessage };

/**
 * Reads the answer of `/checkout` as the specification's point 8 words its failures. Only an address on one
 * of `origins`, Stripe's or the sandbox's, is a place to send somebody who is about to type a card number.
 */
export function checkoutDestination(
  { ok, status, body }: JsonAnswer,
  origins: readonly string[],
): CheckoutDestination {
  if (status === 401) return failed(checkoutErrors.notAuthenticated);
  if (!ok) {
    const message = typeof body.error === "string" ? body.error : `the server answered ${status}`;
    return failed(checkoutErrors.invoking(message));
  }
  const { sessionId, url } = body;
  if (!sessionId && !url) return failed(checkoutErrors.noSession);
  if (typeof url !== "string" || !URL.canParse(url)) {
    return failed(checkoutErrors.stripe("The payment page has no address."));
  }
  if (!origins.includes(new URL(url).origin)) {
    return failed(checkoutErrors.stripe("The payment page is not at Stripe."));
  }
  return { url };
}

function failed(message: string): CheckoutDestination {
  return { toast: toasts.checkoutFailed(message) };
}
