import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { requireAccount } from "~/features/accounts/viewer.server";
import { sectionPath } from "~/features/my-account/account-paths";
import { endOtherSessions, endSession } from "~/features/my-account/end-sessions.server";
import { answerForm, failForm } from "~/http/form-answer.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/account" };

const redirectTo = sectionPath("sessions");

export const loader = () => redirect(redirectTo);

/** Ends one of the account's sessions, or all but this one. */
export async function action(args: ActionFunctionArgs) {
  const form = await readForm(args.request);
  const { userId, tokenHash } = await requireAccount(args);
  const { intent, session } = form.fields;
  const endsOthers = intent === "end-others";
  const outcome = endsOthers
    ? await endOtherSessions(userId, tokenHash)
    : await endSession(userId, session);
  if (outcome.kind === "failed") {
    return failForm(form, 422, { toast: toasts.accountFailed(), redirectTo });
  }
  const toast = endsOthers ? toasts.otherSessionsEnded : toasts.sessionEnded;
  return answerForm(form, { toast, redirectTo });
}
