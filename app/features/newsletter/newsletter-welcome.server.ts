import { createHash } from "node:crypto";
import { env } from "~/env.server";
import { enqueueDispensableMail, type OutgoingMail } from "~/features/mail/enqueue-mail.server";
import { renderMailOnce } from "~/features/mail/render-mail";
import { newsletterWelcomeMail } from "~/features/mail/templates/newsletter-mails";
import type { Transaction } from "~db/client";
import type { NewSubscriber } from "~db/queries/subscribers";
import { unsubscribeHeaders, unsubscribeUrl } from "./subscriber-links.server";

/**
 * Queues the mail that greets a new subscriber, in the transaction that adds or confirms the address. An address
 * gets only one while its idempotency key is stored, however often it leaves and subscribes again: anybody can
 * enter a stranger's address, and who comes back within a year knows the letter.
 */
export async function enqueueNewsletterWelcome(
  { email, unsubscribeToken }: NewSubscriber,
  tx: Transaction,
): Promise<void> {
  const compose = async (): Promise<OutgoingMail> => ({
    kind: "newsletter-welcome",
    to: email,
    message: {
      ...(await renderWelcome(unsubscribeToken)),
      headers: unsubscribeHeaders(unsubscribeToken),
    },
    idempotencyKey: `newsletter-welcome:${addressId(unsubscribeToken)}`,
  });
  await enqueueDispensableMail(compose, tx);
}

/** Stands for the token in what is rendered for all subscribers; nobody is given it. */
const PLACEHOLDER = "the-token-of-a-subscriber";

async function renderWelcome(unsubscribeToken: string) {
  const { PUBLIC_URL, MAIL_POSTAL_ADDRESS: postalAddress = null } = env();
  const key = `newsletter-welcome ${PUBLIC_URL} ${postalAddress}`;
  const { subject, html, text } = await renderMailOnce(key, () =>
    newsletterWelcomeMail({
      previewUrl: `${PUBLIC_URL}/#preview`,
      list: { unsubscribeUrl: unsubscribeUrl(PLACEHOLDER), postalAddress },
    }),
  );
  const withToken = (body: string) => body.replaceAll(PLACEHOLDER, unsubscribeToken);
  return { subject, html: withToken(html), text: withToken(text) };
}

/** Identifies an address, whatever its case. A hash, since the token lets its holder unsubscribe. */
function addressId(unsubscribeToken: string): string {
  return createHash("sha256").update(unsubscribeToken).digest("base64url");
}
