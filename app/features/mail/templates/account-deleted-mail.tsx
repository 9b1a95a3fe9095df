import { composeMail } from "../compose-mail";
import type { Mail } from "../render-mail";

/** Confirms that an account was deleted; the last mail to its address. */
export function accountDeletedMail(): Mail {
  return composeMail({
    subject: "Your account is deleted",
    preview: "With everything that belonged to it.",
    heading: "Farewell, and thank you",
    text: [
      "Your account and everything that belonged to it are deleted: your notes, your place in the book, and your address on the newsletter’s list. If you were a premium member, your membership has ended, and nothing more will be charged.",
      "Receipts of past payments stay with Stripe for as long as the law requires.",
      "Should your way lead past here again, you are welcome as anybody new.",
    ],
    notes: [
      "This is the last letter to this address. If it was not you who deleted the account, please write to us.",
    ],
  });
}
