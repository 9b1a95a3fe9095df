import { composeMail } from "../compose-mail";
import { MailLink } from "../mail-elements";
import type { Mail } from "../render-mail";

/** A passkey that was added or removed. */
export type PasskeyFacts = {
  /** The owner's name for it. */
  name: string;
  /** The URL that lists the account's passkeys. */
  listUrl: string;
  /** The URL to reset the password. */
  resetUrl: string;
};

const NOTES = ["You get this letter each time a passkey is added or removed."];

/** Tells an account's owner that a passkey was added. */
export function passkeyAddedMail({ name, listUrl, resetUrl }: PasskeyFacts): Mail {
  return composeMail({
    subject: "A passkey was added to your account",
    preview: "If that was you, there is nothing left to do.",
    heading: "A passkey was added",
    text: [
      `A passkey, “${name}”, was added to your account just now. Whoever has it can sign in without your password.`,
      <>
        If that was you, all is well and there is nothing left to do. If it was not, take your
        account back now: choose a new password, which signs everybody out, and then remove the
        passkey <MailLink href={listUrl}>on your account’s page</MailLink>. A new password alone
        does not remove it.
      </>,
    ],
    button: { label: "This was not me", href: resetUrl },
    notes: NOTES,
  });
}

/** Tells an account's owner that a passkey was removed. */
export function passkeyRemovedMail({ name, listUrl, resetUrl }: PasskeyFacts): Mail {
  return composeMail({
    subject: "A passkey was removed from your account",
    preview: "If that was you, there is nothing left to do.",
    heading: "A passkey was removed",
    text: [
      `The passkey “${name}” was removed from your account just now. Nobody can log in with it anymore. You can delete it on your device, too.`,
      <>
        If that was you, all is well and there is nothing left to do. If it was not, take your
        account back now: choose a new password, and then look at the passkeys{" "}
        <MailLink href={listUrl}>on your account’s page</MailLink>.
      </>,
    ],
    button: { label: "This was not me", href: resetUrl },
    notes: NOTES,
  });
}
