import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { LOG_IN_PATH } from "~/features/accounts/auth-paths";
import { findKnownBrowser } from "~/features/accounts/known-browser.server";
import { assertionOptions } from "~/features/accounts/passkeys/accept-assertion.server";
import {
  forgetChallenge,
  newChallenge,
  readChallenge,
} from "~/features/accounts/passkeys/challenge-cookie.server";
import { signInWithPasskey } from "~/features/accounts/passkeys/passkey-sign-in.server";
import { readSession } from "~/features/accounts/sessions.server";
import { answerSignIn } from "~/features/accounts/sign-in-cookies.server";
import { answerForm, answerRefusal, failForm, limitForm } from "~/http/form-answer.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/auth" };

export const loader = () => redirect(LOG_IN_PATH);

/** Issues a challenge without storing anything, or signs in with the response to one. */
export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const failure = (message?: string) => ({
    toast: toasts.signInFailed(message),
    redirectTo: LOG_IN_PATH,
  });
  if (form.fields.intent === "sign-in-options") {
    const { challenge, setCookie } = await newChallenge("sign-in");
    const options = await assertionOptions(challenge);
    const headers = new Headers({ "Set-Cookie": setCookie });
    // the toast comes along so that no page's script has to hold it
    const body = { options, unused: toasts.passkeyUnused };
    return answerForm(form, { toast: null, redirectTo: LOG_IN_PATH, headers, body });
  }
  if (form.fields.intent !== "sign-in") return failForm(form, 422, failure());
  const limited = await limitForm("passkey", { form, context }, failure);
  if (limited) return limited;

  const outcome = await signInWithPasskey(
    {
      sent: form.fields.response,
      challenge: await readChallenge(request.headers.get("Cookie"), "sign-in"),
    },
    {
      clientAddress: context.clientAddress,
      session: await readSession(request),
      userAgent: request.headers.get("User-Agent"),
      isKnownTo: async (email) => (await findKnownBrowser(request, email)) !== null,
    },
  );
  if (outcome.kind !== "signed-in") {
    return answerRefusal(form, outcome, failure, { status: 401, context });
  }
  const answer = await answerSignIn(request, outcome, { toast: toasts.signedIn });
  answer.headers?.append("Set-Cookie", await forgetChallenge());
  return answerForm(form, answer);
}
