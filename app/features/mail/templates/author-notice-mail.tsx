import { composeMail } from "../compose-mail";
import { MailLink } from "../mail-elements";
import type { Mail } from "../render-mail";

type AuthorNotice = {
  subject: string;
  /** What the site has done by itself, and what the author should do. */
  did: string;
  todo: string;
  /** The customer's page in Stripe's dashboard, and the payment's. */
  customerUrl: string;
  paymentUrl: string | null;
  subscriptionId: string;
  userId: string;
};

/** Notifies the author of a refund or dispute. It names nobody: ids only, to be looked up at Stripe. */
export function authorNoticeMail(notice: AuthorNotice): Mail {
  const { subject, did, todo, customerUrl, paymentUrl, subscriptionId, userId } = notice;
  return composeMail({
    subject,
    preview: todo,
    heading: subject,
    text: [did, todo],
    button: { label: "Open the customer at Stripe", href: customerUrl },
    notes: [
      paymentUrl && <MailLink href={paymentUrl}>The payment</MailLink>,
      `Subscription ${subscriptionId}, user ${userId}.`,
    ],
  });
}
