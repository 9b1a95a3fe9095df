import { composeMail } from "../compose-mail";
import { mailDate } from "../mail-date";
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
  return composeMail({
    subject: "Welcome to Premium",
    preview: "The whole path is open to you.",
    heading: "The whole path is open to you",
    text: [
      "Thank you for walking on with us. Your membership has begun: all twelve chapters, the audio walks and the notebooks are waiting in the members’ area.",
    ],
    facts: [
      ...(price ? [{ name: "Price", value: `${price.amount} ${price.period}` }] : []),
      ...(renewsAt ? [{ name: "Next payment", value: mailDate(renewsAt) }] : []),
    ],
    button: { label: "Open the members’ area", href: url },
    notes: [
      "You can cancel anytime. Cards, invoices and cancelling are all in one place, at the bottom of the members’ area.",
    ],
  });
}
