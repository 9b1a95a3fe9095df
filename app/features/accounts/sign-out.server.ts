import type { ActionFunctionArgs } from "@remix-run/node";
import { answerForm } from "~/http/form-answer.server";
import { readForm } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { toasts } from "~/toast-messages";
import { closeSession } from "./sessions.server";

/**
 * Ends the session and leads to '/' with the good-bye toast; if its row cannot be removed the session
 * stays and the 'Sign out Failed' toast says so (specification, 4 and 8).
 */
export async function signOutWithForm({
  request,
  context,
}: Pick<ActionFunctionArgs, "request" | "context">): Promise<Response> {
  const form = await readForm(request, context);
  try {
    const headers = new Headers();
    const { userId, setCookie } = await closeSession(request);
    headers.append("Set-Cookie", setCookie);
    if (userId) logSecurityEvent("signed-out", { userId }, "signed out");
    return await answerForm(form, { toast: toasts.signedOut, redirectTo: "/", headers });
  } catch (error) {
    log().error({ err: error }, "sign out failed");
    const toast = toasts.signOutFailed();
    return answerForm(form, {
      toast,
      status: 500,
      redirectTo: "/",
      body: { error: toast.description },
    });
  }
}
