import {
  MailButton,
  MailButtonAddress,
  MailHeading,
  MailLink,
  MailSmallPrint,
  MailText,
} from "../mail-elements";
import type { Mail } from "../render-mail";

/** Asks the owner of an account to confirm its address, when they want the link once more. */
export function emailConfirmationMail({
  url,
  forgotPasswordUrl,
}: {
  url: string;
  forgotPasswordUrl: string;
}): Mail {
  return {
    subject: "Confirm your email address",
    preview: "So that nobody else can use it for an account.",
    content: (
      <>
        <MailHeading>Is this your address?</MailHeading>
        <MailText>
          You asked for a link to confirm the address of your account. Here it is; with one press of
          a button you are done.
        </MailText>
        <MailButton href={url}>Confirm this address</MailButton>
      </>
    ),
    notes: (
      <>
        <MailSmallPrint>
          If you have no account with us, somebody else made one with your address:{" "}
          <MailLink href={forgotPasswordUrl}>choose a new password</MailLink>, and it is yours.
        </MailSmallPrint>
        <MailButtonAddress href={url} />
      </>
    ),
  };
}
