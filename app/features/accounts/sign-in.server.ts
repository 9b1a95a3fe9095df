import type { ActionFunctionArgs } from "@remix-run/node";
import { answerForm, refuseFormForNow } from "~/server/form-answer.server";
import { isCaught } from "~/server/honeypot.server";
import { log } from "~/server/log.server";
import { secondsToWait, waitMessage } from "~/server/rate-limits.server";
import { type FieldValue, readForm } from "~/server/request-body.server";
import { type ToastMessage, toasts } from "~/ui/toast-messages";
import { authenticator, CredentialsError } from "./authenticator.server";
import { requirePlaceInQueue, TooManyHashes } from "./password.server";
import { openSession } from "./sessions.server";

type Way = "login" | "signup";

const succeeded = { login: toasts.signedIn, signup: toasts.signedUp } as const;
const failed = { login: toasts.signInFailed, signup: toasts.signUpFailed } as const;

/** The page with the form that was sent, where a failure leads back to. */
export const formPath = { login: "/auth", signup: "/auth?tab=signup" } as const;

/**
 * Does what the Login and Sign Up forms ask for: on success opens a session and leads to '/' with the
 * welcome toast, else back to the form with the toast that says why (specification, 4 and 8).
 */
export async function signInWithForm(
  { request, context }: Pick<ActionFunctionArgs, "request" | "context">,
  way: Way,
): Promise<Response> {
  const form = await readForm(request);
  const typedEmail = typeof form.fields.email === "string" ? form.fields.email : null;
  const refuse = (toast: ToastMessage, status: number, message = toast.description) =>
    answerForm(form, {
      toast,
      status,
      redirectTo: formPath[way],
      email: typedEmail,
      body: { error: message },
    });

  const refuseForNow = (message: string, status: 429 | 503, seconds: number) =>
    refuseFormForNow(
      form,
      { toast: failed[way](message), redirectTo: formPath[way], email: typedEmail },
      { status, seconds, context },
    );

  try {
    // a flood is turned away before it costs the database anything
    requirePlaceInQueue();
    const seconds = await secondsToWait(way, { context, account: typedEmail });
    if (seconds !== null) return await refuseForNow(waitMessage(seconds), 429, seconds);
    if (way === "signup" && isCaught(form.fields)) return await refuse(failed[way](), 422);

    const user = await authenticator.authenticate(way, asFormRequest(request, form.fields));
    if (user.identities?.length === 0) {
      return await refuse(toasts.signUpIncomplete, 409, "User already exists.");
    }
    const headers = new Headers();
    headers.append("Set-Cookie", await openSession(request, user.id));
    log().info({ userId: user.id }, way === "login" ? "signed in" : "signed up");
    return await answerForm(form, { toast: succeeded[way], redirectTo: "/", headers });
  } catch (error) {
    if (error instanceof CredentialsError) {
      return refuse(failed[way](error.message), way === "login" ? 401 : 422);
    }
    if (error instanceof TooManyHashes) {
      log().warn(`${way} turned away: too many passwords are waiting to be hashed`);
      return refuseForNow("The site is very busy. Please try again.", 503, error.retryAfter);
    }
    log().error({ err: error }, `${way} failed`);
    return refuse(failed[way](), 500);
  }
}

/** remix-auth-form reads a form body itself, so the fields that were read are sent through one again. */
function asFormRequest(request: Request, fields: Record<string, FieldValue>): Request {
  const body = new FormData();
  for (const name of ["email", "password"]) {
    for (const value of [fields[name] ?? []].flat()) {
      if (typeof value === "string") body.append(name, value);
    }
  }
  return new Request(request.url, { method: "POST", body });
}
