import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { emailSchema } from "~/features/accounts/credentials";
import { subscribe } from "~/features/newsletter/subscribe.server";
import { answerForm, rejectForm } from "~/http/form-answer.server";
import { isSpam } from "~/http/honeypot.server";
import { checkRateLimit, waitMessage } from "~/http/rate-limits.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import { safeRedirect } from "~/http/safe-redirect";
import { toasts } from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/newsletter" };

export const loader = () => redirect("/#newsletter");

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request, context);
  const { email, redirectTo } = form.fields;
  const isTyped = typeof email === "string" && email.trim() !== "";
  const account = emailSchema.safeParse(email).data;
  const seconds = isTyped && (await checkRateLimit("newsletter", { context, account }));
  if (seconds) {
    const toast = toasts.subscribeLimited(waitMessage(seconds));
    return rejectForm(form, { toast, redirectTo: "/", email }, { status: 429, seconds, context });
  }
  if (isSpam(form.fields)) {
    return answerForm(form, { toast: toasts.subscribed, redirectTo: "/#newsletter" });
  }
  const { subscribed, toast, status } = await subscribe(email);
  return answerForm(form, {
    toast,
    status,
    redirectTo: safeRedirect(redirectTo, "/#newsletter"),
    body: { subscribed },
    email: !subscribed && typeof email === "string" ? email : null,
  });
}
