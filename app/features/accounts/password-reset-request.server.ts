import type { ActionFunctionArgs } from "@remix-run/node";
import { env } from "~/env.server";
import { sendMailInBackground } from "~/features/mail/background-mail.server";
import type { MailMessage } from "~/features/mail/mail-message";
import { passwordResetMail } from "~/features/mail/password-reset-mail";
import { answerForm, rejectForm } from "~/http/form-answer.server";
import { readPageForm } from "~/http/page-form.server";
import { checkRateLimit, waitMessage } from "~/http/rate-limits.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { toasts } from "~/toast-messages";
import { replacePasswordReset } from "~db/queries/password-resets";
import { findUserByEmail } from "~db/queries/users";
import { emailSchema } from "./credentials";
import { findKnownBrowser } from "./known-browser.server";
import { FORGOT_PASSWORD_PATH, passwordResetPath } from "./password-reset-paths";
import { createPasswordResetToken } from "./password-reset-token.server";

/** How long a link works, and how soon a user is mailed another one, in milliseconds. */
const LINK_LIFE = 60 * 60 * 1000;
const ASK_AGAIN_AFTER = 60 * 1000;

/**
 * Links mailed to one user in an hour, whoever asks for them and from wherever. Who asks beyond it is
 * answered as ever, and the link mailed last still works: nobody can lock an owner out by asking.
 */
const MOST_MAILS = 6;
const MAIL_COUNT_LIFE = 60 * 60 * 1000;

/**
 * Does what the 'forgot password' form asks for. The answer says the same, and takes the same time,
 * whether or not somebody has the address: even looking it up is left to the background.
 */
export async function requestPasswordReset({
  request,
  context,
}: Pick<ActionFunctionArgs, "request" | "context">): Promise<Response> {
  const form = await readPageForm(request, context);
  const parsed = emailSchema.safeParse(form.fields.email);
  if (!parsed.success) {
    return answerForm(form, {
      toast: toasts.passwordResetFailed(parsed.error.issues[0]?.message),
      redirectTo: FORGOT_PASSWORD_PATH,
      email: typeof form.fields.email === "string" ? form.fields.email : null,
    });
  }
  const knownBrowser = await findKnownBrowser(request, parsed.data);
  const seconds = await checkRateLimit("reset", { context, account: parsed.data, knownBrowser });
  if (seconds !== null) {
    const toast = toasts.passwordResetFailed(waitMessage(seconds));
    return rejectForm(
      form,
      { toast, redirectTo: FORGOT_PASSWORD_PATH, email: parsed.data },
      { status: 429, seconds, context },
    );
  }
  const taken = sendMailInBackground("password reset", () => prepareMail(parsed.data));
  return taken
    ? answerForm(form, {
        toast: toasts.passwordResetRequested,
        redirectTo: `${FORGOT_PASSWORD_PATH}?sent`,
      })
    : answerForm(form, {
        toast: toasts.passwordResetFailed(),
        redirectTo: FORGOT_PASSWORD_PATH,
        email: parsed.data,
      });
}

/** The mail with a fresh link, which replaces any older one; null for nobody and for who was just mailed. */
async function prepareMail(email: string): Promise<MailMessage | null> {
  const user = await findUserByEmail(email);
  if (!user) return null;
  const { token, tokenHash } = createPasswordResetToken();
  const now = Date.now();
  const replaced = await replacePasswordReset(
    {
      userId: user.id,
      tokenHash,
      createdAt: new Date(now),
      expiresAt: new Date(now + LINK_LIFE),
    },
    {
      askAgainAfter: new Date(now - ASK_AGAIN_AFTER),
      countSince: new Date(now - MAIL_COUNT_LIFE),
      most: MOST_MAILS,
    },
  );
  if (!replaced) return null;
  logSecurityEvent("password-reset-requested", { userId: user.id }, "password reset requested");
  return passwordResetMail({ to: user.email, url: env().PUBLIC_URL + passwordResetPath(token) });
}
