import { env } from "~/env.server";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import { renderMail } from "~/features/mail/render-mail";
import { passkeyAddedMail, passkeyRemovedMail } from "~/features/mail/templates/passkey-mails";
import type { Transaction } from "~db/client";
import { findEmailOfUser } from "~db/queries/users";
import { FORGOT_PASSWORD_PATH } from "../auth-paths";
import { PASSKEY_LIST_PATH } from "./passkey-paths";

const MAILS = { "passkey-added": passkeyAddedMail, "passkey-removed": passkeyRemovedMail };

/** Queues the mail about an added or removed passkey, in the transaction that adds or removes it. */
export async function enqueuePasskeyNotice(
  { userId, kind, name }: { userId: string; kind: keyof typeof MAILS; name: string },
  tx: Transaction,
): Promise<void> {
  const to = await findEmailOfUser(userId, tx);
  if (!to) return;
  const { PUBLIC_URL } = env();
  const mail = MAILS[kind]({
    name,
    listUrl: PUBLIC_URL + PASSKEY_LIST_PATH,
    resetUrl: PUBLIC_URL + FORGOT_PASSWORD_PATH,
  });
  await enqueueMail({ kind, to, message: await renderMail(mail) }, tx);
}
