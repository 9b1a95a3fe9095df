import { composeMail } from "../compose-mail";
import { mailDate } from "../mail-date";
import type { Mail } from "../render-mail";

type MembershipRefunded = {
  /** What was refunded, such as "$9.99"; null if it is unknown. */
  amount: string | null;
  /** Whether the membership goes on being charged, ends at a known time, or is over. */
  outlook: { kind: "renews" } | { kind: "ends"; at: Date } | { kind: "ended" };
  /** Where the membership is managed, and its invoices are. */
  url: string;
};

/** Tells a member that the last payment was refunded in full, and what becomes of the membership. */
export function membershipRefundedMail({ amount, outlook, url }: MembershipRefunded): Mail {
  const payment = `Your last payment${amount ? ` of ${amount}` : ""} was refunded`;
  const access = outlook.kind === "ended" ? "" : ", so your access has ended";
  return composeMail({
    subject: "Your payment was refunded",
    preview: "It is on its way back to you, and your access has ended.",
    heading: "Your payment was refunded",
    text: [
      `${payment}${access}. Most banks show the money within five to ten business days.`,
      whatBecomesOfIt(outlook),
    ],
    button: {
      label: outlook.kind === "renews" ? "Manage or cancel membership" : "Invoices and receipts",
      href: url,
    },
    notes: ["You get this letter because a payment to us was refunded to your card."],
  });
}

function whatBecomesOfIt(outlook: MembershipRefunded["outlook"]): string {
  switch (outlook.kind) {
    case "renews":
      return "The membership itself still renews: cancel it if you do not want to be charged again.";
    case "ends":
      return `The membership itself ends on ${mailDate(outlook.at)}, and nothing more will be charged.`;
    case "ended":
      return "Your membership has ended, and nothing more will be charged.";
  }
}
