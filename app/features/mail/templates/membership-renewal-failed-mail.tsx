import { mailDate } from "../mail-date";
import { MailButton, MailHeading, MailSmallPrint, MailText } from "../mail-elements";
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
  const keeps = accessUntil
    ? `You keep your access until ${mailDate(accessUntil)}.`
    : "Your access is paused until the payment goes through.";
  return {
    subject: "Your membership payment did not go through",
    preview: `${keeps} Another card mends it.`,
    content: (
      <>
        <MailHeading>Your payment did not go through</MailHeading>
        <MailText>
          {amount
            ? `We tried to renew your membership, but your bank did not let the payment of ${amount} through.`
            : "We tried to renew your membership, but your bank did not let the payment through."}{" "}
          Cards expire, and banks are careful; it happens to most of us.
        </MailText>
        <MailText>
          <strong>{keeps}</strong> Update your card, and the payment is tried again with the new one
          right away.
        </MailText>
        <MailButton href={url}>Update payment card</MailButton>
      </>
    ),
    notes: (
      <MailSmallPrint>
        If you have settled it in the meantime, our letters have crossed, and there is nothing left
        to do.
      </MailSmallPrint>
    ),
  };
}
