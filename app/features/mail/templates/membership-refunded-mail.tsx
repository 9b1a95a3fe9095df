import { mailDate } from "../mail-date";
import { MailButton, MailHeading, MailSmallPrint, MailText } from "../mail-elements";
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
  const renews = outlook.kind === "renews";
  return {
    subject: "Your payment was refunded",
    preview: "It is on its way back to you, and your access has ended.",
    content: (
      <>
        <MailHeading>Your payment was refunded</MailHeading>
        <MailText>
          Your last payment{amount && ` of ${amount}`} was refunded
          {outlook.kind !== "ended" && ", so your access has ended"}. Most banks show the money
          within five to ten business days.
        </MailText>
        <MailText>{whatBecomesOfIt(outlook)}</MailText>
        <MailButton href={url}>
          {renews ? "Manage or cancel membership" : "Invoices and receipts"}
        </MailButton>
      </>
    ),
    notes: (
      <MailSmallPrint>
        You get this letter because a payment to us was refunded to your card.
      </MailSmallPrint>
    ),
  };
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
