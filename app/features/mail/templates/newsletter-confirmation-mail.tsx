import {
  MailButton,
  MailButtonAddress,
  MailHeading,
  MailSmallPrint,
  MailText,
} from "../mail-elements";
import type { Mail } from "../render-mail";

/** Asks the owner of an address to confirm the newsletter subscription (double opt-in); `url` is where to. */
export function newsletterConfirmationMail({ url }: { url: string }): Mail {
  return {
    subject: "One step left: confirm your email",
    preview: "Confirm it, and the next letter will find you.",
    content: (
      <>
        <MailHeading>One step left</MailHeading>
        <MailText>
          Someone, most likely you, asked for our letter at this address: once a month a practice, a
          story, and a question worth taking for a walk.
        </MailText>
        <MailText>Confirm it, and the next one will find you.</MailText>
        <MailButton href={url}>Confirm my email</MailButton>
      </>
    ),
    notes: (
      <>
        <MailSmallPrint>
          If it was not you, leave this letter be: nothing more will come.
        </MailSmallPrint>
        <MailButtonAddress href={url} />
      </>
    ),
  };
}
