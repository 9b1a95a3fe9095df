import { composeMail } from "../compose-mail";
import type { Mail } from "../render-mail";

/** Asks the owner of an address to confirm that an account changes to it. */
export function emailChangeMail({ url }: { url: string }): Mail {
  return composeMail({
    subject: "Confirm your new email address",
    preview: "One step is left. The link works for a day.",
    heading: "A new address for your account",
    text: [
      "You asked us to move your account to this address. Confirm it, and from then on you log in with it, and your mail and receipts come here.",
    ],
    button: { label: "Confirm this address", href: url, isWrittenOut: true },
    notes: [
      "The link works once, and for one day.",
      "If you did not ask for it, somebody has probably mistyped theirs. You need not do anything.",
    ],
  });
}
