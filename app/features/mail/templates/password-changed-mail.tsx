import { MailButton, MailHeading, MailSmallPrint, MailText } from "../mail-elements";
import type { Mail } from "../render-mail";

/**
 * Notifies the owner of an account that its password was changed, by a reset link or on the account page; `url` is
 * where to reset it.
 */
export function passwordChangedMail({ url, by }: { url: string; by: "reset" | "change" }): Mail {
  return {
    subject: "Your password was changed",
    preview: "If that was you, there is nothing left to do.",
    content: (
      <>
        <MailHeading>Your password was changed</MailHeading>
        <MailText>
          A new password was chosen for your account just now, and every{" "}
          {by === "reset" ? "device that was signed in" : "other device that was signed in"} has
          been signed out.
        </MailText>
        <MailText>
          If that was you, all is well and there is nothing left to do. If it was not, take your
          account back now: choose a new password.
        </MailText>
        <MailButton href={url}>This was not me</MailButton>
      </>
    ),
    notes: <MailSmallPrint>You get this letter each time your password changes.</MailSmallPrint>,
  };
}
