import { MailButton, MailHeading, MailSmallPrint, MailText } from "../mail-elements";
import type { Mail } from "../render-mail";

/** Tells a member that the membership has ended, whether cancelled or unpaid; `url` is where to buy it again. */
export function membershipEndedMail({ url }: { url: string }): Mail {
  return {
    subject: "Your membership has ended",
    preview: "Nothing more will be charged, and the door stays open.",
    content: (
      <>
        <MailHeading>Your membership has ended</MailHeading>
        <MailText>
          The members’ area is closed to you now, and nothing more will be charged. Your account
          stays, and so does your place on our list if you get our letters.
        </MailText>
        <MailText>
          Thank you for walking with us. If you would like company again, you can come back whenever
          you like.
        </MailText>
        <MailButton href={url}>Come back to Premium</MailButton>
      </>
    ),
    notes: (
      <MailSmallPrint>You get this letter once, because your membership has ended.</MailSmallPrint>
    ),
  };
}
