import { composeMail } from "../compose-mail";
import type { Mail } from "../render-mail";

/** Tells a member that the membership has ended, whether cancelled or unpaid; `url` is where to buy it again. */
export function membershipEndedMail({ url }: { url: string }): Mail {
  return composeMail({
    subject: "Your membership has ended",
    preview: "Nothing more will be charged, and the door stays open.",
    heading: "Your membership has ended",
    text: [
      "The members’ area is closed to you now, and nothing more will be charged. Your account stays, and so does your place on our list if you get our letters.",
      "Thank you for walking with us. If you would like company again, you can come back whenever you like.",
    ],
    button: { label: "Come back to Premium", href: url },
    notes: ["You get this letter once, because your membership has ended."],
  });
}
