import { env } from "~/env.server";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import { renderMail } from "~/features/mail/render-mail";
import { passwordChangedMail } from "~/features/mail/templates/account-mails";
import type { Transaction } from "~db/client";
import { countPasskeys } from "~db/queries/passkeys";
import { FORGOT_PASSWORD_PATH } from "./auth-paths";
import { PASSKEY_LIST_PATH } from "./passkeys/passkey-paths";

/**
 * Queues the mail about a changed password, in the transaction that changes it.
 */
export async function enqueuePasswordChanged(
  { userId, to, by }: { userId: string; to: string; by: "reset" | "change" },
  tx: Transaction,
): Promise<void> {
  const { PUBLIC_URL } = env();
  const mail = passwordChangedMail({
    url: PUBLIC_URL + FORGOT_PASSWORD_PATH,
    by,
    passkeys: { count: await countPasskeys(userId, tx), url: PUBLIC_URL + PASSKEY_LIST_PATH },
  });
  await enqueueMail({ kind: "password-changed", to, message: await renderMail(mail) }, tx);
}
