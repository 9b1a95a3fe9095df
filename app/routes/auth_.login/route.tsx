import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { readEmail } from "~/environment/email-address.server";
import { LOG_IN_PATH } from "~/features/accounts/auth-paths";
import { hasOwnLogIn } from "~/features/accounts/destination";
import { hasHashQueueCapacity } from "~/features/accounts/password.server";
import { logIn } from "~/features/accounts/sign-in.server";
import { answerSignIn, findSigningBrowser } from "~/features/accounts/sign-in-cookies.server";
import { CARD_PATH } from "~/features/billing/billing-paths";
import { CONNECT_PATH } from "~/features/community/community-paths";
import { CONFIRM_EMAIL_CHANGE_PATH } from "~/features/my-account/account-paths";
import { clientNetworks } from "~/http/client-network.server";
import { answerForm, answerRefusal, limitForm } from "~/http/form-answer.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import { safeRedirect } from "~/http/safe-redirect";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/auth" };

export const loader = () => redirect(LOG_IN_PATH);

/**
 * Logs in (specification, 4 and 8): redirects to '/' with the welcome toast, or back to the form with a toast
 * that says why not. Log-in forms on the pages of the library, the payment card, the community and a new address always
 * lead back to those pages.
 */
export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const { email, password } = form.fields;
  const returnTo = pageToReturnTo(form.fields.returnTo);
  const page = { redirectTo: returnTo ?? LOG_IN_PATH, email };
  const failure = (message?: string) => ({ ...page, toast: toasts.signInFailed(message) });

  // reject a flood before it costs any database work
  if (!hasHashQueueCapacity(clientNetworks(context.clientAddress))) {
    return answerRefusal(form, { kind: "busy" }, failure, { context });
  }
  const account = readEmail(email);
  const browser = await findSigningBrowser(request, context, account);
  const limited = await limitForm("login", { form, context, account, ...browser }, failure);
  if (limited) return limited;

  const outcome = await logIn({ email, password }, browser);
  switch (outcome.kind) {
    case "signed-in": {
      const leadsTo = returnTo ?? "/";
      return answerForm(
        form,
        await answerSignIn(request, outcome, { toast: toasts.signedIn, leadsTo }),
      );
    }
    default:
      return answerRefusal(form, outcome, failure, { status: 401, context });
  }
}

/** The posted path if it is a page with its own log-in form; null for any other text. */
function pageToReturnTo(posted: unknown): string | null {
  const path = safeRedirect(posted, "");
  const isOne =
    path === CARD_PATH ||
    hasOwnLogIn(path) ||
    [CONNECT_PATH, CONFIRM_EMAIL_CHANGE_PATH].some((page) => path.startsWith(`${page}?`));
  return isOne ? path : null;
}
