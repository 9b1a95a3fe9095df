import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { readEmail } from "~/environment/email-address.server";
import { SIGN_UP_PATH } from "~/features/accounts/auth-paths";
import { findDestination } from "~/features/accounts/destination-cookie.server";
import { hasHashQueueCapacity } from "~/features/accounts/password.server";
import { signUp } from "~/features/accounts/sign-in.server";
import { answerSignIn, findSigningBrowser } from "~/features/accounts/sign-in-cookies.server";
import { clientNetworks } from "~/http/client-network.server";
import { answerForm, answerRefusal, failForm, limitForm } from "~/http/form-answer.server";
import { isSpam } from "~/http/honeypot.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/auth" };

export const loader = () => redirect(SIGN_UP_PATH);

/**
 * Signs up (specification, 4 and 8): redirects to '/' with the welcome toast, or back to the form with a
 * toast that says why not.
 */
export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const { email, password } = form.fields;
  const page = { redirectTo: SIGN_UP_PATH, email };
  const failure = (message?: string) => ({ ...page, toast: toasts.signUpFailed(message) });

  // reject a flood before it costs any database work
  if (!hasHashQueueCapacity(clientNetworks(context.clientAddress))) {
    return answerRefusal(form, { kind: "busy" }, failure, { context });
  }
  const account = readEmail(email);
  const browser = await findSigningBrowser(request, context, account);
  const limited = await limitForm("signup", { form, context, account, ...browser }, failure);
  if (limited) return limited;
  if (isSpam(form.fields)) return failForm(form, 422, failure());

  const leadsTo = await findDestination(request);
  const outcome = await signUp({ email, password, leadsTo }, browser);
  switch (outcome.kind) {
    case "signed-in": {
      const welcome = { toast: toasts.signedUp, notice: "confirm-email" } as const;
      return answerForm(form, await answerSignIn(request, outcome, welcome));
    }
    case "taken": {
      const toast = toasts.signUpIncomplete;
      return failForm(form, 409, { ...page, toast, body: { error: "User already exists." } });
    }
    default:
      return answerRefusal(form, outcome, failure, { context });
  }
}
