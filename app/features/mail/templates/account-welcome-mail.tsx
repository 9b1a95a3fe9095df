import { BOOK_TITLE } from "~/book";
import { MailButton, MailHeading, MailLink, MailSmallPrint, MailText } from "../mail-elements";
import type { Mail } from "../render-mail";

type AccountWelcome = {
  /** Where the excerpt of the book is. */
  previewUrl: string;
  /** Where the owner of the address confirms it. */
  confirmUrl: string;
  /** Where the owner of the address takes over an account that somebody else opened. */
  forgotPasswordUrl: string;
};

/** Greets the owner of a new account. */
export function accountWelcomeMail({
  previewUrl,
  confirmUrl,
  forgotPasswordUrl,
}: AccountWelcome): Mail {
  return {
    subject: `Welcome to ${BOOK_TITLE}`,
    preview: "Your account is ready. Please confirm that this address is yours.",
    content: (
      <>
        <MailHeading>Good to have you along</MailHeading>
        <MailText>
          Your account is ready. You log in with this email address and the password you chose.
        </MailText>
        <MailText>
          One thing, whenever it suits you: please confirm that this address is yours. And if you
          would like to begin somewhere, begin with{" "}
          <MailLink href={previewUrl}>the opening pages</MailLink>.
        </MailText>
        <MailButton href={confirmUrl}>Confirm this address</MailButton>
      </>
    ),
    notes: (
      <MailSmallPrint>
        You get this letter once, because an account was created with this address. If it was not
        you, <MailLink href={forgotPasswordUrl}>choose a new password</MailLink>: that signs out
        everybody else, and the account is yours.
      </MailSmallPrint>
    ),
  };
}
