import { MailButton, MailHeading, MailSmallPrint, MailText } from "../mail-elements";
import type { Mail } from "../render-mail";

/** Notifies the owner of an account of an attempt to sign up with their address; `url` is where to reset the password. */
export function signUpAttemptMail({ url }: { url: string }): Mail {
  return {
    subject: "You already have an account",
    preview: "Somebody tried to sign up with your address. Nothing was changed.",
    content: (
      <>
        <MailHeading>You already have an account</MailHeading>
        <MailText>
          Somebody has just tried to sign up with your email address. There is an account with it
          already, so nothing was changed and nobody was let in.
        </MailText>
        <MailText>
          If that was you, log in with your password, or choose a new one if you do not remember it.
          If it was not, there is nothing you need to do.
        </MailText>
        <MailButton href={url}>Choose a new password</MailButton>
      </>
    ),
    notes: <MailSmallPrint>You get this letter at most once a day.</MailSmallPrint>,
  };
}
