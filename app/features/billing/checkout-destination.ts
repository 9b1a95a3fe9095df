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
    if (body.error && typeof body.error === "string") {
      return failed(checkoutErrors.invoking(body.error));
    }
    return status === 0
      ? { toast: toasts.checkoutFailed() }
      : failed(checkoutErrors.invoking(`the server answered ${status}`));
  }
  const { sessionId, url } = body;
  if (!sessionId && !url) return failed(checkoutErrors.noSession);
  const origin = typeof url === "string" ? originOf(url) : null;
  if (typeof url !== "string" || origin === null) {
    return failed(checkoutErrors.stripe("The payment page has no address."));
  }
  if (!origins.includes(origin)) {
    return failed(checkoutErrors.stripe("The payment page is not at Stripe."));
  }
  return { url };
}

/** Null for what is no address. Not by `URL.canParse`, which browsers have had only since 2023. */
function originOf(url: string): string | null {
  try {
    return new URL(url).origin;
  } catch {
    return null;
  }
}

function failed(message: string): CheckoutDestination {
  return { toast: toasts.checkoutFailed(message) };
}
