import type { ActionFunctionArgs } from "@remix-run/node";
import { clientNetworks } from "~/http/client-network.server";
import { QueueFull } from "~/http/fair-queue.server";
import { answerForm, rejectForm } from "~/http/form-answer.server";
import { isSpam } from "~/http/honeypot.server";
import { checkRateLimit, waitMessage } from "~/http/rate-limits.server";
import { type FieldValue, readForm } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { type ToastMessage, toasts } from "~/toast-messages";
import {
  type AuthenticatedUser,
  authenticator,
  CredentialsError,
  credentialsRequest,
  WRONG_CREDENTIALS,
} from "./authenticator.server";
import { emailSchema } from "./credentials";
import { findKnownBrowser, rememberBrowser } from "./known-browser.server";
import { HASH_RETRY_SECONDS, requirePlaceInQueue } from "./password.server";
import { renewHash } from "./renew-hash.server";
import { openSession } from "./sessions.server";
import { noticeSignUpAttempt } from "./sign-up-notice.server";

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
  const form = await readForm(request, context);
  const typedEmail = typeof form.fields.email === "string" ? form.fields.email : null;
  const network = clientNetworks(context.clientAddress);
  const refuse = (toast: ToastMessage, status: number, message = toast.description) =>
    answerForm(form, {
      toast,
      status,
      redirectTo: formPath[way],
      email: typedEmail,
      body: { error: message },
    });

  const refuseForNow = (message: string, status: 429 | 503, seconds: number) =>
    rejectForm(
      form,
      { toast: failed[way](message), redirectTo: formPath[way], email: typedEmail },
      { status, seconds, context },
    );

  try {
    // a flood is turned away before it costs the database anything
    requirePlaceInQueue(network);
    const account = emailSchema.safeParse(form.fields.email).data ?? null;
    const knownBrowser = account && (await findKnownBrowser(request, account));
    const seconds = await checkRateLimit(way, { context, account, knownBrowser });
    if (seconds !== null) return await refuseForNow(waitMessage(seconds), 429, seconds);
    if (way === "signup" && isSpam(form.fields)) return await refuse(failed[way](), 422);

    const signedIn = await authenticateAndOpenSession(way, request, {
      fields: form.fields,
      clientAddress: context.clientAddress,
    });
    if (!signedIn) {
      const facts = { network: network.narrow };
      logSecurityEvent("sign-up-with-taken-address", facts, "sign up with a known address");
      if (account) noticeSignUpAttempt(account);
      return await refuse(toasts.signUpIncomplete, 409, "User already exists.");
    }
    const { user, setCookie } = signedIn;
    const headers = new Headers();
    headers.append("Set-Cookie", setCookie);
    headers.append("Set-Cookie", await rememberBrowser(request, user.email));
    const facts = { userId: user.id, network: network.narrow, knownBrowser: knownBrowser !== null };
    if (way === "login") logSecurityEvent("signed-in", facts, "signed in");
    else logSecurityEvent("signed-up", facts, "signed up");
    return await answerForm(form, { toast: succeeded[way], redirectTo: "/", headers });
  } catch (error) {
    if (error instanceof CredentialsError) {
      const facts = { way, userId: error.userId, network: network.narrow };
      logSecurityEvent("sign-in-failed", facts, "sign in refused");
      return refuse(failed[way](error.message), way === "login" ? 401 : 422);
    }
    if (error instanceof QueueFull) {
      log().warn(`${way} turned away: too many passwords are waiting to be hashed`);
      return refuseForNow("The site is very busy. Please try again.", 503, HASH_RETRY_SECONDS);
    }
    log().error({ err: error }, `${way} failed`);
    return refuse(failed[way](), 500);
  }
}

/**
 * The user behind the credentials and the Set-Cookie value of their session; null when a sign-up named an
 * address that is taken. Throws as `authenticator` does.
 */
async function authenticateAndOpenSession(
  way: Way,
  request: Request,
  given: { fields: Record<string, FieldValue>; clientAddress: string | undefined },
): Promise<{ user: AuthenticatedUser; setCookie: string } | null> {
  // a second time when the hash was replaced under the first: it may be another one of the same password
  for (let attempt = 1; attempt <= 2; attempt++) {
    const credentials = credentialsRequest(request.url, given.fields, given.clientAddress);
    const user = await authenticator.authenticate(way, credentials);
    if (user.identities?.length === 0) return null;
    const setCookie = await openSession(request, user);
    if (!setCookie) continue;
    if (way === "login")
      await renewHash(user, given.fields.password, clientNetworks(given.clientAddress));
    return { user, setCookie };
  }
  throw new CredentialsError(WRONG_CREDENTIALS);
}
