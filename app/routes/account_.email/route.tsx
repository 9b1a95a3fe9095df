import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { readEmail } from "~/environment/email-address.server";
import { findSession, requireAccount } from "~/features/accounts/viewer.server";
import { sectionPath } from "~/features/my-account/account-paths";
import { requestEmailChange } from "~/features/my-account/change-email.server";
import { answerForm, answerRefusal, limitForm } from "~/http/form-answer.server";
import { keepForm } from "~/http/keep-form.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/account" };

const redirectTo = sectionPath("email");

export const loader = () => redirect(redirectTo);

/** Asks for another address, which is mailed a link to confirm it. */
export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  const form = await readForm(request);
  if (!form.wantsJson && (await findSession(args)) === null) return keepForm("/account/email");
  const account = await requireAccount(args);
  const { email, password } = form.fields;
  const failure = (message?: string) => ({
    toast: toasts.accountFailed(message),
    redirectTo,
    email,
  });
  const attempt = { form, context, account: account.userId };
  const limited =
    (await limitForm("verify-identity", attempt, failure)) ??
    (await limitForm("email-link", { form, context, account: readEmail(email) }, failure));
  if (limited) return limited;

  const outcome = await requestEmailChange(account, { email, password }, context.clientAddress);
  if (outcome.kind !== "requested") return answerRefusal(form, outcome, failure, { context });
  return answerForm(form, { toast: toasts.emailChangeRequested, redirectTo });
}
