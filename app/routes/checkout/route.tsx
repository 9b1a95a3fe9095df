import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { findViewer } from "~/features/accounts/viewer.server";
import { type CheckoutLink, linkToCheckout } from "~/features/billing/checkout-link.server";
import { paymentPageOrigins } from "~/features/billing/stripe-origins.server";
import { answerForm, limitForm } from "~/http/form-answer.server";
import { redirectToPayment } from "~/http/payment-redirect.server";
import { type FormBody, readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";
import { checkoutErrors, type ToastMessage } from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/checkout" };

export const loader = () => redirect("/#purchase");

/** A form post is answered with a 303 to Stripe, a JSON post with `{ sessionId, url }` or `{ error }`. */
export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  const form = await readForm(request);
  const viewer = await findViewer(args);
  const limited = await limitForm(
    "checkout",
    { form, context, account: viewer?.user.id },
    (error) => ({ toast: failedCall(error), redirectTo: "/", body: { error } }),
  );
  if (limited) return limited;
  if (!viewer) {
    const toast = toasts.authenticationRequired;
    // with the button at the window's top, no toast at its bottom covers it
    return reject(form, 401, checkoutErrors.notAuthenticated, toast, "/#upgrade");
  }

  const link = await linkToCheckout(viewer.user, form.fields.priceId);
  switch (link.kind) {
    case "page":
      return form.wantsJson
        ? answerJson({ sessionId: link.sessionId, url: link.url })
        : redirectToPayment(link.url, paymentPageOrigins());
    case "no-page": {
      // the page itself words the error for a session without a URL
      if (form.wantsJson) return answerJson({ sessionId: link.sessionId, url: null });
      const toast = toasts.checkoutFailed(checkoutErrors.stripe(link.message));
      return answerForm(form, { toast, redirectTo: "/#purchase" });
    }
    default:
      return reject(form, STATUSES[link.kind], link.message, failedCall(link.message));
  }
}

const STATUSES = {
  "wrong-price": 409,
  unconfirmed: 403,
  "not-configured": 503,
  refused: 503,
  unavailable: 502,
} as const satisfies {
  [kind in Exclude<CheckoutLink["kind"], "page" | "no-page">]: number;
};

/**
 * A page with JavaScript gets the bare message, for which it makes its own toast (specification, 8:
 * Checkout).
 */
function reject(
  form: FormBody,
  status: number,
  error: string,
  toast: ToastMessage,
  redirectTo = "/#purchase",
) {
  return form.wantsJson ? answerJson({ error }, status) : answerForm(form, { toast, redirectTo });
}

function answerJson(body: Record<string, unknown>, status = 200): Response {
  return Response.json(body, { status, headers: { "Cache-Control": "no-store" } });
}

const failedCall = (message: string) => toasts.checkoutFailed(checkoutErrors.invoking(message));
