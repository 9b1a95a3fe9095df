import { BOOK_TITLE } from "~/book";
import { composeMail } from "../compose-mail";
import { MailLink } from "../mail-elements";
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
  return composeMail({
    subject: `Welcome to ${BOOK_TITLE}`,
    preview: "Your account is ready. Please confirm that this address is yours.",
    heading: "Good to have you along",
    text: [
      "Your account is ready. You log in with this email address and the password you chose.",
      <>
        One thing, whenever it suits you: please confirm that this address is yours. And if you
        would like to begin somewhere, begin with{" "}
        <MailLink href={previewUrl}>the opening pages</MailLink>.
      </>,
    ],
    button: { label: "Confirm this address", href: confirmUrl },
    notes: [
      <>
        You get this letter once, because an account was created with this address. If it was not
        you, <MailLink href={forgotPasswordUrl}>choose a new password</MailLink>: that signs out
        everybody else, and the account is yours.
      </>,
    ],
  });
}
