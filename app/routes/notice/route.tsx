import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { answerForm } from "~/http/form-answer.server";
import { errorResponse, readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import { safeRedirect } from "~/http/safe-redirect";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/notice" };

export const loader = () => redirect("/");

/** Toasts for the two features announced but not available yet, for browsers without JavaScript. */
export async function action({ request }: ActionFunctionArgs) {
  const form = await readForm(request);
  const redirectTo = safeRedirect(form.fields.redirectTo);
  switch (form.fields.notice) {
    case "purchase":
      return answerForm(form, { toast: toasts.purchaseComingSoon, redirectTo });
    case "profile":
      return answerForm(form, { toast: toasts.notImplemented, redirectTo });
    default:
      throw errorResponse(400, "There is no such notice.");
  }
}
