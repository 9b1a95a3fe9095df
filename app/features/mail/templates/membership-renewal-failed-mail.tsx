import { composeMail } from "../compose-mail";
import { mailDate } from "../mail-date";
import type { Mail } from "../render-mail";

type RenewalFailed = {
  /** What was to be paid, such as "$9.99"; null if it is unknown. */
  amount: string | null;
  /** Until when the member keeps access meanwhile; null if it has ended. */
  accessUntil: Date | null;
  /** Where the member puts in another card. */
  url: string;
};

/** Tells a member that a renewal was not paid, until when access lasts, and how to mend it. */
export function membershipRenewalFailedMail({ amount, accessUntil, url }: RenewalFailed): Mail {
  const payment = amount ? `the payment of ${amount}` : "the payment";
  const keeps = accessUntil
    ? `You keep your access until ${mailDate(accessUntil)}.`
    : "Your access is paused until the payment goes through.";
  return composeMail({
    subject: "Your membership payment did not go through",
    preview: `${keeps} Another card mends it.`,
    heading: "Your payment did not go through",
    text: [
      `We tried to renew your membership, but your bank did not let ${payment} through. Cards expire, and banks are careful; it happens to most of us.`,
      <>
        <strong>{keeps}</strong> Update your card, and the payment is tried again with the new one
        right away.
      </>,
    ],
    button: { label: "Update payment card", href: url },
    notes: [
      "If you have settled it in the meantime, our letters have crossed, and there is nothing left to do.",
    ],
  });
}
