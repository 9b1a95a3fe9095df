import { MailButton, MailHeading, MailLink, MailSmallPrint, MailText } from "../mail-elements";
import type { Mail } from "../render-mail";

/** A passkey that was added or removed. */
export type PasskeyFacts = {
  /** What its owner calls it. */
  name: string;
  /** Where the account's passkeys are listed. */
  listUrl: string;
  /** Where to reset the password. */
  resetUrl: string;
};

/** Notifies the owner of an account that a passkey was added to it. */
export function passkeyAddedMail({ name, listUrl, resetUrl }: PasskeyFacts): Mail {
  return {
    subject: "A passkey was added to your account",
    preview: "If that was you, there is nothing left to do.",
    content: (
      <>
        <MailHeading>A passkey was added</MailHeading>
        <MailText>
          A passkey, “{name}”, was added to your account just now. Whoever has it can sign in
          without your password.
        </MailText>
        <MailText>
          If that was you, all is well and there is nothing left to do. If it was not, take your
          account back now: choose a new password, which signs everybody out, and then remove the
          passkey <MailLink href={listUrl}>on your account’s page</MailLink>. A new password alone
          does not remove it.
        </MailText>
        <MailButton href={resetUrl}>This was not me</MailButton>
      </>
    ),
    notes: (
      <MailSmallPrint>You get this letter each time a passkey is added or removed.</MailSmallPrint>
    ),
  };
}
