import { log } from "~/observability/log.server";
import { checkoutErrors, type ToastMessage, toasts } from "~/toast-messages";
import { startCheckout, WRONG_PRICE } from "./checkout.server";
import { refusedPaymentPage } from "./payment-pages.server";
import { PaymentsNotConfigured } from "./stripe-client.server";

/**
 * Where to send the browser, or why not: `error` is the bare message for a page with JavaScript, which
 * words its own toast, and `toast` the finished one for a form post (specification, 8: Checkout). A
 * session whose address is not to be trusted has none, which the page words as a Stripe Error.
 */
export type CheckoutAnswer =
  | { sessionId: string | null; url: string }
  | { sessionId: string | null; url: null; toast: ToastMessage }
  | { error: string; status: 401 | 409 | 502 | 503; toast: ToastMessage };

/** Starts a checkout for whoever is signed in and words every way in which that can fail. */
export async function answerCheckout(
  user: { id: string; email: string } | null,
  priceId: unknown,
): Promise<CheckoutAnswer> {
  if (!user) {
    return {
      error: checkoutErrors.notAuthenticated,
      status: 401,
      toast: toasts.authenticationRequired,
    };
  }
  try {
    const outcome = await startCheckout(user, priceId);
    if (outcome.kind === "wrong-price") return failedCall(WRONG_PRICE, 409);
    const sessionId = outcome.kind === "checkout" ? outcome.sessionId : null;
    const { url } = outcome;
    const refused = refusedPaymentPage(url);
    if (url && !refused) return { sessionId, url };
    log().error({ userId: user.id, outcome: outcome.kind }, refused ?? "no address");
    const message = checkoutErrors.stripe(refused ?? "The payment page has no address.");
    return { sessionId, url: null, toast: toasts.checkoutFailed(message) };
  } catch (error) {
    if (error instanceof PaymentsNotConfigured) {
      log().error(
        "checkout was asked for, but the Stripe variables are not set: see 'stripe setup'",
      );
      return failedCall(error.message, 503);
    }
    log().error({ userId: user.id, err: error }, "checkout could not be started");
    return failedCall("The payment service did not answer. Please try again.", 502);
  }
}

function failedCall(message: string, status: 409 | 502 | 503): CheckoutAnswer {
  return { error: message, status, toast: toasts.checkoutFailed(checkoutErrors.invoking(message)) };
}
