import { env } from "~/env.server";
import { enqueueMails } from "~/features/mail/enqueue-mail.server";
import { renderMail } from "~/features/mail/render-mail";
import { authorAccountMail } from "~/features/mail/templates/operator-mails";
import type { Transaction } from "~db/client";
import { forgetVerifications } from "~db/queries/sessions";
import type { User } from "~db/schema";
import { FORGOT_PASSWORD_PATH } from "./auth-paths";

const addresses = () => env().AUTHOR_EMAIL ?? [];

/** Whether an account is an author's: its address is confirmed, and `AUTHOR_EMAIL` names it. */
export function isAuthor({
  email,
  emailConfirmedAt,
}: Pick<User, "email" | "emailConfirmedAt">): boolean {
  return emailConfirmedAt !== null && addresses().includes(email);
}

/**
 * Makes the desk ask an author for the password again, and tells every author by mail. Call it in the transaction that changes
 * an account's address or resets its password, with its addresses before and after, and `wakeMailWorker` after the commit. Does
 * nothing for other accounts.
 */
export async function guardAuthor(
  { userId, emails, change }: { userId: string; emails: string[]; change: "address" | "password" },
  tx: Transaction,
): Promise<void> {
  if (!emails.some((email) => addresses().includes(email))) return;
  await forgetVerifications(userId, tx);
  const mail = authorAccountMail({ change, url: env().PUBLIC_URL + FORGOT_PASSWORD_PATH });
  const message = await renderMail(mail);
  await enqueueMails(
    addresses().map((to) => ({ kind: "author-account" as const, to, message })),
    tx,
  );
}
