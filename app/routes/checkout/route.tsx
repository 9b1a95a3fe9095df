import { type ActionFunctionArgs, json, redirect } from "@remix-run/node";
import { findViewer } from "~/features/accounts/viewer.server";
import { answerCheckout, type CheckoutAnswer } from "~/features/billing/checkout-answer.server";
import { leaveForPayment, rejectPayment } from "~/features/billing/payment-pages.server";
import { answerForm } from "~/http/form-answer.server";
import { checkRateLimit } from "~/http/rate-limits.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { metricsName: "/checkout" };

export const loader = () => redirect("/#purchase");

/** A form post is answered with a 303 to Stripe, a JSON post with `{ sessionId, url }` or `{ error }`. */
export async function action(args: ActionFunctionArgs) {
  const form = await readForm(args.request, args.context);
  const viewer = await findViewer(args);
  const { context } = args;
  const seconds = await checkRateLimit("checkout", { context, account: viewer?.user.id ?? null });
  if (seconds !== null) return rejectPayment(form, seconds, context);
  const answer: CheckoutAnswer = await answerCheckout(viewer?.user ?? null, form.fields.priceId);

  if (form.wantsJson) {
    const headers = { "Cache-Control": "no-store" };
    return "error" in answer
      ? json({ error: answer.error }, { status: answer.status, headers })
      : json({ sessionId: answer.sessionId, url: answer.url }, { headers });
  }
  return "toast" in answer
    ? answerForm(form, { toast: answer.toast, redirectTo: "/#purchase" })
    : leaveForPayment(answer.url);
}
