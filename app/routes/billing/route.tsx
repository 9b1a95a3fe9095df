import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { findViewer, requireViewer } from "~/features/accounts/viewer.server";
import { CARD_PATH, MEMBERSHIP_PATH } from "~/features/billing/billing-paths";
import { keepMembership } from "~/features/billing/keep-membership.server";
import { linkToPortal } from "~/features/billing/portal-link.server";
import { returnFromPortal } from "~/features/billing/portal-return.server";
import { paymentPageOrigins } from "~/features/billing/stripe-origins.server";
import { setFlash } from "~/http/flash.server";
import { answerForm, limitForm } from "~/http/form-answer.server";
import { redirectToPayment } from "~/http/payment-redirect.server";
import { checkRateLimit } from "~/http/rate-limits.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";
import { checkoutErrors } from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/billing", inTurn: false };

/** The return URL of Stripe's portal: syncs what was changed there before the next page is rendered. */
export async function loader(args: LoaderFunctionArgs) {
  const { context, request } = args;
  const viewer = await findViewer(args);
  const { isMember, payment } =
    viewer && !isPrefetch(request)
      ? await returnFromPortal(viewer.user.id, async () => {
          const attempt = { context, account: viewer.user.id };
          return (await checkRateLimit("confirmation", attempt)) === null;
        })
      : { isMember: viewer?.isSubscribed, payment: null };
  const headers = new Headers({ "Cache-Control": "no-store" });
  if (payment) headers.set("Set-Cookie", await setFlash(toasts.newCardTried[payment]));
  const isOwed = payment !== null && payment !== "paid";
  return redirect(isOwed ? CARD_PATH : isMember ? "/premium" : "/#purchase", { headers });
}

/**
 * Sends a customer to Stripe's portal, to cancel or resume a membership or update the card; or keeps a membership that
 * is canceled.
 */
export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  const form = await readForm(request);
  const { user } = await requireViewer(args, "/auth");
  const limited = await limitForm("portal", { form, context, account: user.id }, (error) => ({
    toast: failedCall(error),
    redirectTo: "/",
    body: { error },
  }));
  if (limited) return limited;

  const { page } = form.fields;
  if (page === "keep") {
    const isKept = await keepMembership(user.id);
    const toast = isKept ? toasts.membershipKept : toasts.membershipNotKept;
    return answerForm(form, { toast, status: isKept ? 200 : 502, redirectTo: MEMBERSHIP_PATH });
  }
  const link = await linkToPortal(
    user.id,
    page === "card" || page === "cancel" ? page : "overview",
  );
  if (link.kind === "page") {
    return form.wantsJson
      ? answerForm(form, { toast: null, redirectTo: "/#purchase", body: { url: link.url } })
      : redirectToPayment(link.url, paymentPageOrigins());
  }
  const status = link.kind === "no-customer" ? 409 : 502;
  return answerForm(form, { toast: failedCall(link.message), status, redirectTo: "/#purchase" });
}

const failedCall = (message: string) => toasts.checkoutFailed(checkoutErrors.invoking(message));

/** Whether the request is a prefetch or asks for headers only, and nobody has returned yet. */
function isPrefetch({ method, headers }: Request): boolean {
  const purpose = headers.get("Sec-Purpose") ?? headers.get("Purpose") ?? "";
  return method !== "GET" || purpose.includes("prefetch");
}
