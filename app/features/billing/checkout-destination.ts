import * as toasts from "~/toast-messages";
import { checkoutErrors, type ToastMessage } from "~/toast-messages";
import type { JsonAnswer } from "~/ui";

/** The page on which a checkout continues, or a toast with the reason why it cannot. */
export type CheckoutDestination = { url: string } | { toast: ToastMessage };

/**
 * Interprets the response of `/checkout` and words its failures (specification, 8). The server checks the payment
 * page's URL; here it only has to be http(s), not a script.
 */
export function checkoutDestination({ ok, status, body }: JsonAnswer): CheckoutDestination {
  if (status === 401) {
    const { toast } = failed(checkoutErrors.notAuthenticated);
    return { toast: { ...toast, links: toasts.authenticationRequired.links } };
  }
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
  if (typeof url !== "string" || !isPage(url)) {
    return failed(checkoutErrors.stripe("The payment page has no address."));
  }
  return { url };
}

/** Avoids `URL.canParse`, which browsers support only since 2023. */
function isPage(url: string): boolean {
  try {
    return /^https?:$/.test(new URL(url).protocol);
  } catch {
    return false;
  }
}

function failed(message: string) {
  return { toast: toasts.checkoutFailed(message) };
}
