import { composeMail } from "../compose-mail";
import { MailLink } from "../mail-elements";
import type { Mail } from "../render-mail";

type EmailConfirmation = {
  url: string;
  /** Where the owner of the address takes over an account that somebody else opened. */
  forgotPasswordUrl: string;
};

/** Asks the owner of an account to confirm its address, when they want the link once more. */
export function emailConfirmationMail({ url, forgotPasswordUrl }: EmailConfirmation): Mail {
  return composeMail({
    subject: "Confirm your email address",
    preview: "So that nobody else can use it for an account.",
    heading: "Is this your address?",
    text: [
      "You asked for a link to confirm the address of your account. Here it is; with one press of a button you are done.",
    ],
    button: { label: "Confirm this address", href: url, isWrittenOut: true },
    notes: [
      <>
        If you have no account with us, somebody else made one with your address:{" "}
        <MailLink href={forgotPasswordUrl}>choose a new password</MailLink>, and it is yours.
      </>,
    ],
  });
}
