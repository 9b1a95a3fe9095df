import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { requireViewer } from "~/features/accounts/viewer.server";
import { MEMBERSHIP_PATH } from "~/features/billing/billing-paths";
import { keepMembership } from "~/features/billing/keep-membership.server";
import { answerForm, limitForm } from "~/http/form-answer.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/billing", inTurn: false };

export const loader = () => redirect(MEMBERSHIP_PATH);

/** Takes back the cancellation of the viewer's membership. */
export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  const form = await readForm(request);
  const { user } = await requireViewer(args, "/auth");
  const limited = await limitForm("portal", { form, context, account: user.id }, (message) => ({
    toast: toasts.accountFailed(message),
    redirectTo: MEMBERSHIP_PATH,
  }));
  if (limited) return limited;
  const isKept = await keepMembership(user.id);
  return answerForm(form, {
    toast: isKept ? toasts.membershipKept : toasts.membershipNotKept,
    status: isKept ? 200 : 502,
    redirectTo: MEMBERSHIP_PATH,
  });
}
