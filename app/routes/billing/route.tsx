import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { requireViewer } from "~/features/accounts/viewer.server";
import { answerPortal } from "~/features/billing/portal-answer.server";
import { answerForm, refuseFormForNow } from "~/server/form-answer.server";
import { leaveForPayment } from "~/server/payment-pages.server";
import { secondsToWait, waitMessage } from "~/server/rate-limits.server";
import { readForm } from "~/server/request-body.server";
import { checkoutErrors, toasts } from "~/ui/toast-messages";

export const loader = () => redirect("/premium");

/** Sends a customer to Stripe's portal, where a membership is cancelled, resumed and its card mended. */
export async function action(args: ActionFunctionArgs) {
  const form = await readForm(args.request, args.context);
  const { user } = await requireViewer(args, "/auth");
  const { context } = args;
  const seconds = await secondsToWait("portal", { context, account: user.id });
  if (seconds !== null) {
    const error = waitMessage(seconds);
    const toast = toasts.checkoutFailed(checkoutErrors.invoking(error));
    return refuseFormForNow(
      form,
      { toast, redirectTo: "/", body: { error } },
      { status: 429, seconds, context },
    );
  }
  const answer = await answerPortal(user.id);
  return "url" in answer && !form.wantsJson
    ? leaveForPayment(answer.url)
    : answerForm(form, {
        toast: "toast" in answer ? answer.toast : null,
        status: "toast" in answer ? answer.status : 200,
        redirectTo: "/#purchase",
        body: "url" in answer ? { url: answer.url } : {},
      });
}
