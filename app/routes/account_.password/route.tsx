import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { rememberBrowser } from "~/features/accounts/known-browser.server";
import { requireAccount } from "~/features/accounts/viewer.server";
import { sectionPath } from "~/features/my-account/account-paths";
import { changePassword } from "~/features/my-account/change-password.server";
import { answerForm, answerRefusal, limitForm } from "~/http/form-answer.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/account" };

const redirectTo = sectionPath("password");

export const loader = () => redirect(redirectTo);

/** Changes the password with the old one; every other session ends. */
export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  const form = await readForm(request);
  const account = await requireAccount(args);
  const failure = (message?: string) => ({ toast: toasts.accountFailed(message), redirectTo });
  const attempt = { form, context, account: account.userId };
  const limited = await limitForm("verify-identity", attempt, failure);
  if (limited) return limited;

  const { password, newPassword } = form.fields;
  const outcome = await changePassword(account, { password, newPassword }, context.clientAddress);
  if (outcome.kind !== "changed") return answerRefusal(form, outcome, failure, { context });
  const cookie = await rememberBrowser(request, account.viewer.user.email);
  const headers = new Headers({ "Set-Cookie": cookie });
  return answerForm(form, { toast: toasts.passwordReplaced, redirectTo, headers });
}
