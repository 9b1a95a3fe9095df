import { createHash } from "node:crypto";
import { env } from "~/env.server";
import { enqueueDispensableMail, type OutgoingMail } from "~/features/mail/enqueue-mail.server";
import { renderMail } from "~/features/mail/render-mail";
import { newsletterWelcomeMail } from "~/features/mail/templates/newsletter-mails";
import { unsubscribeHeaders, unsubscribeUrl } from "~/features/mail/unsubscribe-links.server";
import type { Transaction } from "~db/client";
import type { NewSubscriber } from "~db/queries/subscribers";

/**
 * Queues a new subscriber's welcome mail in the transaction that adds or confirms the address. An address gets only
 * one while its idempotency key is stored, even after resubscribing: anyone can enter a stranger's address. A
 * subscriber who returns within a year knows the mail.
 */
export async function enqueueNewsletterWelcome(
  { email, unsubscribeToken }: NewSubscriber,
  tx: Transaction,
): Promise<void> {
  const { PUBLIC_URL, MAIL_POSTAL_ADDRESS: postalAddress = null } = env();
  const url = unsubscribeUrl(unsubscribeToken);
  const mail = () =>
    newsletterWelcomeMail({
      previewUrl: `${PUBLIC_URL}/#preview`,
      list: { unsubscribeUrl: url, postalAddress },
    });
  const compose = async (): Promise<OutgoingMail> => ({
    kind: "newsletter-welcome",
    to: email,
    message: { ...(await renderMail(mail())), headers: unsubscribeHeaders(url) },
    idempotencyKey: `newsletter-welcome:${addressId(unsubscribeToken)}`,
  });
  await enqueueDispensableMail(compose, tx);
}

/** Identifies an address, ignoring case. Hashed, because the token allows unsubscribing. */
function addressId(unsubscribeToken: string): string {
  return createHash("sha256").update(unsubscribeToken).digest("base64url");
}
