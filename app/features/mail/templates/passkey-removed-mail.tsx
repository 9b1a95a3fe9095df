import { MailButton, MailHeading, MailLink, MailSmallPrint, MailText } from "../mail-elements";
import type { Mail } from "../render-mail";
import type { PasskeyFacts } from "./passkey-added-mail";

/** Notifies the owner of an account that one of its passkeys was removed. */
export function passkeyRemovedMail({ name, listUrl, resetUrl }: PasskeyFacts): Mail {
  return {
    subject: "A passkey was removed from your account",
    preview: "If that was you, there is nothing left to do.",
    content: (
      <>
        <MailHeading>A passkey was removed</MailHeading>
        <MailText>
          The passkey “{name}” was removed from your account just now. Nobody can sign in with it
          any more. You can delete it on your device, too.
        </MailText>
        <MailText>
          If that was you, all is well and there is nothing left to do. If it was not, take your
          account back now: choose a new password, and then look at the passkeys{" "}
          <MailLink href={listUrl}>on your account’s page</MailLink>.
        </MailText>
        <MailButton href={resetUrl}>This was not me</MailButton>
      </>
    ),
    notes: (
      <MailSmallPrint>You get this letter each time a passkey is added or removed.</MailSmallPrint>
    ),
  };
}
