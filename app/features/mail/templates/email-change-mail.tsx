import {
  MailButton,
  MailButtonAddress,
  MailHeading,
  MailSmallPrint,
  MailText,
} from "../mail-elements";
import type { Mail } from "../render-mail";

/** Asks the owner of an address to confirm that an account changes to it. */
export function emailChangeMail({ url }: { url: string }): Mail {
  return {
    subject: "Confirm your new email address",
    preview: "One step is left. The link works for a day.",
    content: (
      <>
        <MailHeading>A new address for your account</MailHeading>
        <MailText>
          You asked us to move your account to this address. Confirm it, and from then on you log in
          with it, and your mail and receipts come here.
        </MailText>
        <MailButton href={url}>Confirm this address</MailButton>
      </>
    ),
    notes: (
      <>
        <MailSmallPrint>The link works once, and for one day.</MailSmallPrint>
        <MailSmallPrint>
          If you did not ask for it, somebody has probably mistyped theirs. You need not do
          anything.
        </MailSmallPrint>
        <MailButtonAddress href={url} />
      </>
    ),
  };
}
