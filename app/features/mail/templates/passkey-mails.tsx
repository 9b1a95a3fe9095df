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

const NOTES = ["We send this email each time a passkey is added or removed."];

/** Tells an account's owner that a passkey was added. */
export function passkeyAddedMail({ name, listUrl, resetUrl }: PasskeyFacts): Mail {
  return composeMail({
    subject: "A passkey was added to your account",
    preview: "If it was you, you don’t need to do anything.",
    heading: "A passkey was added",
    text: [
      `A passkey, “${name}”, was just added to your account. Anyone who has it can log in without your password.`,
      <>
        If it was you, you don’t need to do anything. If it wasn’t, take your account back now:
        choose a new password, which logs everyone out, and then remove the passkey{" "}
        <MailLink href={listUrl}>on your account page</MailLink>. A new password alone doesn’t
        remove it.
      </>,
    ],
    button: { label: "This wasn’t me", href: resetUrl },
    notes: NOTES,
  });
}

/** Tells an account's owner that a passkey was removed. */
export function passkeyRemovedMail({ name, listUrl, resetUrl }: PasskeyFacts): Mail {
  return composeMail({
    subject: "A passkey was removed from your account",
    preview: "If it was you, you don’t need to do anything.",
    heading: "A passkey was removed",
    text: [
      `The passkey “${name}” was just removed from your account. No one can log in with it anymore. You can delete it from your device too.`,
      <>
        If it was you, you don’t need to do anything. If it wasn’t, take your account back now:
        choose a new password, and then check the passkeys{" "}
        <MailLink href={listUrl}>on your account page</MailLink>.
      </>,
    ],
    button: { label: "This wasn’t me", href: resetUrl },
    notes: NOTES,
  });
}
