import { env } from "~/env.server";
import { enqueueDispensableMail } from "~/features/mail/enqueue-mail.server";
import { renderMailOnce } from "~/features/mail/render-mail";
import { accountWelcomeMail } from "~/features/mail/templates/account-welcome-mail";
import type { Transaction } from "~db/client";
import { FORGOT_PASSWORD_PATH } from "./password-reset-paths";

/** Queues the mail that greets the owner of a new account, in the transaction that creates it. */
export async function enqueueAccountWelcome(email: string, tx: Transaction): Promise<void> {
  const { PUBLIC_URL } = env();
  await enqueueDispensableMail(async () => {
    const message = await renderMailOnce(`account-welcome ${PUBLIC_URL}`, () =>
      accountWelcomeMail({
        previewUrl: `${PUBLIC_URL}/#preview`,
        forgotPasswordUrl: PUBLIC_URL + FORGOT_PASSWORD_PATH,
      }),
    );
    return { kind: "account-welcome", to: email, message };
  }, tx);
}
