import { env } from "~/env.server";
import { enqueueDispensableMail } from "~/features/mail/enqueue-mail.server";
import { renderMailOnce } from "~/features/mail/render-mail";
import { accountWelcomeMail } from "~/features/mail/templates/account-mails";
import type { Transaction } from "~db/client";
import { emailConfirmationUrl } from "./email-confirmation.server";
import { FORGOT_PASSWORD_PATH } from "./password-reset-paths";

/** In the mail that is rendered once for all; has nothing that HTML would escape. */
const CONFIRM_URL = "https://confirm-url.invalid/";

/**
 * Queues the mail that greets the owner of a new account and asks to confirm the address, in the transaction that
 * creates it.
 */
export async function enqueueAccountWelcome(
  user: { id: string; email: string },
  tx: Transaction,
): Promise<void> {
  const { PUBLIC_URL } = env();
  await enqueueDispensableMail(async () => {
    const { subject, html, text } = await renderMailOnce(`account-welcome ${PUBLIC_URL}`, () =>
      accountWelcomeMail({
        previewUrl: `${PUBLIC_URL}/#preview`,
        confirmUrl: CONFIRM_URL,
        forgotPasswordUrl: PUBLIC_URL + FORGOT_PASSWORD_PATH,
      }),
    );
    const url = emailConfirmationUrl(user);
    const message = {
      subject,
      html: html.replaceAll(CONFIRM_URL, url),
      text: text.replaceAll(CONFIRM_URL, url),
    };
    return { kind: "account-welcome", to: user.email, message };
  }, tx);
}
