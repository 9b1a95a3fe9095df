import type { ActionFunctionArgs } from "@remix-run/node";
import { env } from "~/env.server";
import { sendMailInBackground } from "~/features/mail/background-mail.server";
import { passwordChangedMail } from "~/features/mail/password-changed-mail";
import { clientNetworks } from "~/http/client-network.server";
import { QueueFull } from "~/http/fair-queue.server";
import { answerForm, rejectForm } from "~/http/form-answer.server";
import { readPageForm } from "~/http/page-form.server";
import { checkRateLimit, waitMessage } from "~/http/rate-limits.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { toasts } from "~/toast-messages";
import { getDatabase } from "~db/client";
import { findPasswordReset, takePasswordReset } from "~db/queries/password-resets";
import { deleteSessionsOfUser } from "~db/queries/sessions";
import { updatePasswordHash } from "~db/queries/users";
import { signUpSchema } from "./credentials";
import { rememberBrowser } from "./known-browser.server";
import { HASH_RETRY_SECONDS, hashPassword, requirePlaceInQueue } from "./password.server";
import { FORGOT_PASSWORD_PATH, passwordResetPath } from "./password-reset-paths";
import { hashPasswordResetToken } from "./password-reset-token.server";
import { openSession } from "./sessions.server";

/** What the page for a new password shows; the address is null while the database cannot tell it. */
export type PasswordResetView = { token: string; email: string | null };

/**
 * Guard of that page: the link's token and whose it is, without using it up. Throws a redirect to the
 * 'forgot password' page, with the toast that says why, for a used, expired or forged link.
 */
export async function requirePasswordReset(request: Request): Promise<PasswordResetView> {
  const token = new URL(request.url).searchParams.get("token") ?? "";
  const tokenHash = hashPasswordResetToken(token);
  if (!tokenHash) throw await refuseLink();
  try {
    const reset = await findPasswordReset(tokenHash, new Date());
    if (!reset) throw await refuseLink();
    return { token, email: reset.email };
  } catch (error) {
    if (error instanceof Response) throw error;
    log().error({ err: error }, "a password reset link could not be looked up; its form is shown");
    return { token, email: null };
  }
}

/**
 * Changes the password of whoever holds a link: uses it up, ends every session of the user, signs this
 * browser in anew and leads to '/'. A password that is too short leads back to the form, a link that is
 * no longer valid to the 'forgot password' page.
 */
export async function resetPassword({
  request,
  context,
}: Pick<ActionFunctionArgs, "request" | "context">): Promise<Response> {
  const form = await readPageForm(request, context);
  const token = typeof form.fields.token === "string" ? form.fields.token : "";
  const tokenHash = hashPasswordResetToken(token);
  if (!tokenHash) return refuseLink();
  const refuse = (message?: string) =>
    answerForm(form, {
      toast: toasts.passwordResetFailed(message),
      redirectTo: passwordResetPath(token),
    });
  const refuseForNow = (message: string, status: 429 | 503, seconds: number) =>
    rejectForm(
      form,
      { toast: toasts.passwordResetFailed(message), redirectTo: passwordResetPath(token) },
      { status, seconds, context },
    );

  const parsed = signUpSchema.shape.password.safeParse(form.fields.password);
  if (!parsed.success) return refuse(parsed.error.issues[0]?.message);
  const network = clientNetworks(context.clientAddress);
  try {
    requirePlaceInQueue(network);
    const seconds = await checkRateLimit("new-password", { context });
    if (seconds !== null) return await refuseForNow(waitMessage(seconds), 429, seconds);
    // looked up first, so that a forged link costs no hashing
    const reset = await findPasswordReset(tokenHash, new Date());
    if (!reset) return await refuseLink();
    const { userId, email } = reset;
    const passwordHash = await hashPassword(parsed.data, network);
    if (!(await changePassword(tokenHash, passwordHash))) return await refuseLink();
    const facts = { userId, network: network.narrow };
    logSecurityEvent("password-reset", facts, "password changed by a reset link");
    sendMailInBackground("password changed", async () =>
      passwordChangedMail({ to: email, url: env().PUBLIC_URL + FORGOT_PASSWORD_PATH }),
    );
    const headers = new Headers();
    headers.append("Set-Cookie", await rememberBrowser(request, email));
    const setCookie = await openSession(request, { id: userId, passwordHash });
    if (setCookie) headers.append("Set-Cookie", setCookie);
    return await answerForm(form, { toast: toasts.passwordChanged, redirectTo: "/", headers });
  } catch (error) {
    if (error instanceof QueueFull) {
      return refuseForNow("The site is very busy. Please try again.", 503, HASH_RETRY_SECONDS);
    }
    log().error({ err: error }, "password reset failed");
    return refuse();
  }
}

/** Uses the link up, sets the hash and ends every session, all or nothing; false if it was used before. */
function changePassword(tokenHash: string, passwordHash: string): Promise<boolean> {
  return getDatabase().db.transaction(async (tx) => {
    const userId = await takePasswordReset(tokenHash, new Date(), tx);
    if (!userId) return false;
    await updatePasswordHash(userId, passwordHash, tx);
    await deleteSessionsOfUser(userId, tx);
    return true;
  });
}

function refuseLink(): Promise<Response> {
  return answerForm(
    { wantsJson: false },
    { toast: toasts.passwordResetLinkInvalid, redirectTo: FORGOT_PASSWORD_PATH },
  );
}
