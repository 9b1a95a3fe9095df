import { mailDate } from "../mail-date";
import { MailButton, MailFacts, MailHeading, MailSmallPrint, MailText } from "../mail-elements";
import type { Mail } from "../render-mail";

type MembershipBegun = {
  /** Such as "$9.99" and "per month"; null for a price that is not a fixed amount. */
  price: { amount: string; period: string } | null;
  /** When it is charged again; null if it does not renew. */
  renewsAt: Date | null;
  /** The members' area, where the membership is managed too. */
  url: string;
};

/** Greets a new member. */
export function membershipBegunMail({ price, renewsAt, url }: MembershipBegun): Mail {
  const facts = [
    ...(price ? [{ name: "Price", value: `${price.amount} ${price.period}` }] : []),
    ...(renewsAt ? [{ name: "Next payment", value: mailDate(renewsAt) }] : []),
  ];
  return {
    subject: "Welcome to Premium",
    preview: "The whole path is open to you.",
    content: (
      <>
        <MailHeading>The whole path is open to you</MailHeading>
        <MailText>
          Thank you for walking on with us. Your membership has begun: all twelve chapters, the
          audio walks and the notebooks are waiting in the members’ area.
        </MailText>
        {facts.length > 0 && <MailFacts facts={facts} />}
        <MailButton href={url}>Open the members’ area</MailButton>
      </>
    ),
    notes: (
      <MailSmallPrint>
        You can cancel anytime. Cards, invoices and cancelling are all in one place, at the bottom
        of the members’ area.
      </MailSmallPrint>
    ),
  };
}
