import {
  MailButton,
  MailButtonAddress,
  MailHeading,
  MailSmallPrint,
  MailText,
} from "../mail-elements";
import type { Mail } from "../render-mail";

/** The mail with the password reset link. */
export function passwordResetMail({ url }: { url: string }): Mail {
  return {
    subject: "Choose a new password",
    preview: "The link works once, and for one hour.",
    content: (
      <>
        <MailHeading>The way back in</MailHeading>
        <MailText>
          Everyone loses a key now and then. You asked for a new one, so here it is: choose a new
          password, and the path is open again.
        </MailText>
        <MailButton href={url}>Choose a new password</MailButton>
      </>
    ),
    notes: (
      <>
        <MailSmallPrint>The link works once, and for one hour.</MailSmallPrint>
        <MailSmallPrint>
          If you did not ask for it, you need not do anything: your password stays as it is.
        </MailSmallPrint>
        <MailButtonAddress href={url} />
      </>
    ),
  };
}
