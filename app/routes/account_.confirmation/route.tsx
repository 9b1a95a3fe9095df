import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { resendEmailConfirmation } from "~/features/accounts/email-confirmation.server";
import { requireAccount } from "~/features/accounts/viewer.server";
import { sectionPath } from "~/features/my-account/account-paths";
import { answerForm, answerRefusal, limitForm } from "~/http/form-answer.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/account" };

const redirectTo = sectionPath("email");

/** Retry-After while too many mails wait to be sent, in seconds. */
const RETRY_SECONDS = 60;

export const loader = () => redirect(redirectTo);

/** Mails the link that confirms the account's address once more. */
export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  const form = await readForm(request);
  const { userId } = await requireAccount(args);
  const failure = (message?: string) => ({ toast: toasts.accountFailed(message), redirectTo });
  const limited = await limitForm("email-link", { form, context, account: userId }, failure);
  if (limited) return limited;
  const { kind } = await resendEmailConfirmation(userId);
  return kind === "sent"
    ? answerForm(form, { toast: toasts.emailConfirmationSent, redirectTo })
    : answerRefusal(form, { kind }, failure, { seconds: RETRY_SECONDS, context });
}
