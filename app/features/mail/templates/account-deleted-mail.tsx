import { MailHeading, MailSmallPrint, MailText } from "../mail-elements";
import type { Mail } from "../render-mail";

/** Confirms that an account was deleted; the last mail to its address. */
export function accountDeletedMail(): Mail {
  return {
    subject: "Your account is deleted",
    preview: "With everything that belonged to it.",
    content: (
      <>
        <MailHeading>Farewell, and thank you</MailHeading>
        <MailText>
          Your account and everything that belonged to it are deleted: your notes, your place in the
          book, and your address on the newsletter’s list. If you were a premium member, your
          membership has ended, and nothing more will be charged.
        </MailText>
        <MailText>
          Receipts of past payments stay with Stripe for as long as the law requires.
        </MailText>
        <MailText>Should your way lead past here again, you are welcome as anybody new.</MailText>
      </>
    ),
    notes: (
      <MailSmallPrint>
        This is the last letter to this address. If it was not you who deleted the account, please
        write to us.
      </MailSmallPrint>
    ),
  };
}
