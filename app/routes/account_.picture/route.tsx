import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { requireAccount } from "~/features/accounts/viewer.server";
import { sectionPath } from "~/features/my-account/account-paths";
import { changeAvatar, removeAvatar } from "~/features/my-account/avatar/change-avatar.server";
import { PICTURE_LIMIT, REFUSALS } from "~/features/my-account/avatar/picture-rules";
import { answerForm, answerRefusal, failForm, limitForm } from "~/http/form-answer.server";
import { readUpload, requirePost, wantsJson } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/account" };

const redirectTo = sectionPath("picture");

export const loader = () => redirect(redirectTo);

/** Sets or removes the account's picture. The body is read only once the sender is known to be allowed one. */
export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  requirePost(request);
  const { userId } = await requireAccount(args);
  const failure = (message?: string) => ({ toast: toasts.accountFailed(message), redirectTo });
  const attempt = { form: { wantsJson: wantsJson(request) }, context, account: userId };
  const limited = await limitForm("picture", attempt, failure);
  if (limited) return limited;

  const form = await readUpload(request, { field: "picture", limit: PICTURE_LIMIT });
  if (form.fields.intent === "remove") {
    const { kind } = await removeAvatar(userId);
    return kind === "removed"
      ? answerForm(form, { toast: toasts.pictureRemoved, redirectTo })
      : failForm(form, 500, failure());
  }
  const outcome = await changeAvatar(userId, form.upload, context.clientAddress);
  switch (outcome.kind) {
    case "changed":
      return answerForm(form, { toast: toasts.pictureChanged, redirectTo });
    case "refused":
      return failForm(form, 422, failure(REFUSALS[outcome.reason]));
    default:
      return answerRefusal(form, outcome, failure, { context });
  }
}
