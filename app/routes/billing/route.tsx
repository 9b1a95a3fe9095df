import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { requireViewer } from "~/features/accounts/viewer.server";
import { answerPortal } from "~/features/billing/portal-answer.server";
import { answerForm } from "~/server/form-answer.server";
import { readForm } from "~/server/request-body.server";

export const loader = () => redirect("/premium");

/** Sends a customer to Stripe's portal, where a membership is cancelled, resumed and its card mended. */
export async function action(args: ActionFunctionArgs) {
  const form = await readForm(args.request, args.context);
  const { user } = await requireViewer(args, "/auth");
  const answer = await answerPortal(user.id);
  return "url" in answer && !form.wantsJson
    ? redirect(answer.url, { status: 303, headers: { "Cache-Control": "no-store" } })
    : answerForm(form, {
        toast: "toast" in answer ? answer.toast : null,
        status: "toast" in answer ? answer.status : 200,
        redirectTo: "/#purchase",
        body: "url" in answer ? { url: answer.url } : {},
      });
}
