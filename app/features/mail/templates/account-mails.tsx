import { currentSite } from "~/features/site/current-site.server";
import { composeMail } from "../compose-mail";
import { MailLink } from "../mail-elements";
import type { Mail } from "../render-mail";

type AccountWelcome = {
  /** The URL of the book's excerpt. */
  previewUrl: string;
  /** The URL to confirm the address. */
  confirmUrl: string;
  /** The URL to take over an account that somebody else opened with this address. */
  forgotPasswordUrl: string;
};

/** Welcomes the owner of a new account. */
export function accountWelcomeMail({
  previewUrl,
  confirmUrl,
  forgotPasswordUrl,
}: AccountWelcome): Mail {
  return composeMail({
    subject: `Welcome to ${currentSite().title}`,
    preview: "Your account is ready. Please confirm your email address.",
    heading: "Welcome",
    text: [
      "Your account is ready. Log in with this email address and the password you chose.",
      <>
        When you have a moment, please confirm that this address is yours. Want to start reading?
        Try <MailLink href={previewUrl}>the opening pages</MailLink>.
      </>,
    ],
    button: { label: "Confirm this address", href: confirmUrl },
    notes: [
      <>
        You’re getting this email because an account was created with this address. If it wasn’t
        you, <MailLink href={forgotPasswordUrl}>choose a new password</MailLink>. That logs everyone
        else out, and the account is yours.
      </>,
    ],
  });
}

/** Tells an account's owner that somebody tried to sign up with their address. `url` resets the password. */
export function signUpAttemptMail({ url }: { url: string }): Mail {
  return composeMail({
    subject: "You already have an account",
    preview: "Someone tried to sign up with your address. Nothing was changed.",
    heading: "You already have an account",
    text: [
      "Someone just tried to sign up with your email address. It already has an account, so nothing was changed and no one got in.",
      "If it was you, log in with your password, or choose a new one if you’ve forgotten it. If it wasn’t, you don’t need to do anything.",
    ],
    button: { label: "Choose a new password", href: url },
    notes: ["We send this email at most once a day."],
  });
}

type EmailConfirmation = {
  url: string;
  /** The URL to take over an account that somebody else opened with this address. */
  forgotPasswordUrl: string;
};

/** Asks an account's owner to confirm the address, when they request the link again. */
export function emailConfirmationMail({ url, forgotPasswordUrl }: EmailConfirmation): Mail {
  return composeMail({
    subject: "Confirm your email address",
    preview: "This keeps others from using it for an account.",
    heading: "Is this your address?",
    text: ["You asked for a link to confirm your account’s address. Here it is."],
    button: { label: "Confirm this address", href: url, isWrittenOut: true },
    notes: [
      <>
        If you don’t have an account with us, someone else made one with your address. To make it
        yours, <MailLink href={forgotPasswordUrl}>choose a new password</MailLink>.
      </>,
    ],
  });
}

/** Asks an address's owner to confirm that an account changes to it. */
export function emailChangeMail({ url }: { url: string }): Mail {
  return composeMail({
    subject: "Confirm your new email address",
    preview: "One step left. The link works for a day.",
    heading: "A new address for your account",
    text: [
      "You asked us to move your account to this address. Once you confirm it, you’ll use it to log in, and your mail and receipts will come here.",
    ],
    button: { label: "Confirm this address", href: url, isWrittenOut: true },
    notes: [
      "The link works once, for one day.",
      "If you didn’t ask for this, someone probably mistyped their own address. You don’t need to do anything.",
    ],
  });
}

/** Tells an account's former address about the change. `url` undoes it. */
export function emailChangedMail({ url }: { url: string }): Mail {
  return composeMail({
    subject: "Your email address was changed",
    preview: "If it was you, you don’t need to do anything.",
    heading: "Your account has a new address",
    text: [
      "Your account’s email address was just changed. From now on, log in with the new one. This is the last email to the old one.",
      "If it was you, you don’t need to do anything. If it wasn’t, take your account back: it returns to this address, everyone is logged out, passkeys added in the week before the change or since are removed, and you choose a new password.",
    ],
    button: { label: "This wasn’t me", href: url, isWrittenOut: true },
    notes: ["The link works once, for seven days."],
  });
}

/** The mail with the password reset link. */
export function passwordResetMail({ url }: { url: string }): Mail {
  return composeMail({
    subject: "Choose a new password",
    preview: "The link works once, for one hour.",
    heading: "Choose a new password",
    text: ["You asked for this link. Once you’ve chosen a new password, you can log in again."],
    button: { label: "Choose a new password", href: url, isWrittenOut: true },
    notes: [
      "The link works once, for one hour.",
      "If you didn’t ask for this, you don’t need to do anything. Your password stays the same.",
    ],
  });
}

type PasswordChange = {
  /** The URL to reset it. */
  url: string;
  /** By a reset link or on the account page. */
  by: "reset" | "change";
  /** How many passkeys the account has, unaffected by the change, and the URL that lists them. */
  passkeys: { count: number; url: string };
};

/** Tells an account's owner that the password was changed and which passkeys can still sign in. */
export function passwordChangedMail({ url, by, passkeys }: PasswordChange): Mail {
  const devices = `every ${by === "reset" ? "" : "other "}device that was logged in`;
  return composeMail({
    subject: "Your password was changed",
    preview: "If it was you, you don’t need to do anything.",
    heading: "Your password was changed",
    text: [
      `Your account’s password was just changed, and ${devices} has been logged out.`,
      passkeys.count > 0 && (
        <>
          Your account has {passkeys.count === 1 ? "a passkey" : `${passkeys.count} passkeys`},
          which can still log in. Please check that you recognize{" "}
          {passkeys.count === 1 ? "it" : "all of them"}:{" "}
          <MailLink href={passkeys.url}>your passkeys</MailLink>.
        </>
      ),
      "If it was you, you don’t need to do anything. If it wasn’t, choose a new password now to take your account back.",
    ],
    button: { label: "This wasn’t me", href: url },
    notes: ["We send this email each time your password changes."],
  });
}

/** What a deleted account leaves of its membership: nothing, a bank debit on its way, or the subscription at Stripe. */
export type LeftMembership = "nothing" | "debit" | "subscription";

const ENDED = "If you were a premium member, your membership has ended, and";
const LEFT: Record<LeftMembership, string> = {
  nothing: `${ENDED} nothing more will be charged.`,
  debit: `${ENDED} no new payment will be taken. A bank debit that was already on its way may still arrive; if it does, write to us and we’ll refund it.`,
  subscription:
    "If you were a premium member, we’ll end your membership by hand. If anything is charged after this email, please write to us.",
};

/** Confirms that an account was deleted. The last mail to its address. */
export function accountDeletedMail({ membership }: { membership: LeftMembership }): Mail {
  return composeMail({
    subject: "Your account has been deleted",
    preview: "Everything that belonged to it is gone.",
    heading: "Your account has been deleted",
    text: [
      `Your account and everything in it have been deleted: your notes, your place in the book, and your newsletter subscription. ${LEFT[membership]}`,
      "Stripe keeps receipts of past payments for as long as the law requires.",
      "You can sign up again anytime. Thank you for reading with us.",
    ],
    notes: [
      "This is the last email to this address. If you didn’t delete the account, please write to us.",
    ],
  });
}
