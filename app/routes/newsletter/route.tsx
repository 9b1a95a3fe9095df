import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { readEmail } from "~/environment/email-address.server";
import { type SubscribeOutcome, subscribe } from "~/features/newsletter/subscribe.server";
import { answerForm, limitForm } from "~/http/form-answer.server";
import { isSpam } from "~/http/honeypot.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import { safeRedirect } from "~/http/safe-redirect";
import type { ToastMessage } from "~/toast-messages";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/newsletter" };

export const loader = () => redirect("/#newsletter");

/**
 * Subscribes (specification, 4, 5 and 8). For a bot caught by the honeypot the response is the same as on
 * success.
 */
export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const { email, redirectTo } = form.fields;
  if (typeof email === "string" && email.trim() !== "") {
    const account = readEmail(email);
    const limited = await limitForm("newsletter", { form, context, account }, (message) => ({
      toast: toasts.subscribeLimited(message),
      redirectTo: "/",
      email,
    }));
    if (limited) return limited;
  }
  if (isSpam(form.fields)) {
    return answerForm(form, { toast: toasts.subscribed, redirectTo: "/#newsletter" });
  }

  const { kind } = await subscribe(email);
  const subscribed = kind === "subscribed";
  return answerForm(form, {
    ...ANSWERS[kind],
    redirectTo: safeRedirect(redirectTo, "/#newsletter"),
    body: { subscribed },
    email: subscribed ? null : email,
  });
}

const ANSWERS: Record<SubscribeOutcome["kind"], { status: number; toast: ToastMessage | null }> = {
  empty: { status: 200, toast: null },
  invalid: { status: 422, toast: toasts.subscribeFailed },
  subscribed: { status: 200, toast: toasts.subscribed },
  "already-subscribed": { status: 409, toast: toasts.alreadySubscribed },
  failed: { status: 500, toast: toasts.subscribeFailed },
};
