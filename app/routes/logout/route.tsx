import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { forgetSession, readSession } from "~/features/accounts/sessions.server";
import { signOut } from "~/features/accounts/sign-out.server";
import { logOutOfCommunity } from "~/features/community/discourse-api.server";
import { answerForm, failForm } from "~/http/form-answer.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/logout" };

export const loader = () => redirect("/");

/** Signs out (specification, 4 and 8). If that fails, the session is kept, and the toast says so. */
export async function action({ request }: ActionFunctionArgs) {
  const form = await readForm(request);
  const outcome = await signOut(await readSession(request));
  if (outcome.kind === "failed") {
    return failForm(form, 500, { toast: toasts.signOutFailed(), redirectTo: "/" });
  }
  // in the background: signing out here must not wait for another site
  if (outcome.userId) void logOutOfCommunity(outcome.userId);
  const headers = new Headers({ "Set-Cookie": await forgetSession() });
  return answerForm(form, { toast: toasts.signedOut, redirectTo: "/", headers });
}
