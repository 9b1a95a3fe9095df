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
    preview: "Your account is ready. Please confirm that this address is yours.",
    heading: "Good to have you along",
    text: [
      "Your account is ready. You log in with this email address and the password you chose.",
      <>
        One thing, whenever it suits you: please confirm that this address is yours. And if you
        would like to begin somewhere, begin with{" "}
        <MailLink href={previewUrl}>the opening pages</MailLink>.
      </>,
    ],
    button: { label: "Confirm this address", href: confirmUrl },
    notes: [
      <>
        You get this letter once, because an account was created with this address. If it was not
        you, <MailLink href={forgotPasswordUrl}>choose a new password</MailLink>: that signs out
        everybody else, and the account is yours.
      </>,
    ],
  });
}

/** Tells an account's owner that somebody tried to sign up with their address. `url` resets the password. */
export function signUpAttemptMail({ url }: { url: string }): Mail {
  return composeMail({
    subject: "You already have an account",
    preview: "Somebody tried to sign up with your address. Nothing was changed.",
    heading: "You already have an account",
    text: [
      "Somebody has just tried to sign up with your email address. There is an account with it already, so nothing was changed and nobody was let in.",
      "If that was you, log in with your password, or choose a new one if you do not remember it. If it was not, there is nothing you need to do.",
    ],
    button: { label: "Choose a new password", href: url },
    notes: ["You get this letter at most once a day."],
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
    preview: "So that nobody else can use it for an account.",
    heading: "Is this your address?",
    text: [
      "You asked for a link to confirm the address of your account. Here it is; with one press of a button you are done.",
    ],
    button: { label: "Confirm this address", href: url, isWrittenOut: true },
    notes: [
      <>
        If you have no account with us, somebody else made one with your address:{" "}
        <MailLink href={forgotPasswordUrl}>choose a new password</MailLink>, and it is yours.
      </>,
    ],
  });
}

/** Asks an address's owner to confirm that an account changes to it. */
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

/** Tells an account's former address about the change. `url` undoes it. */
export function emailChangedMail({ url }: { url: string }): Mail {
  return composeMail({
    subject: "Your email address was changed",
    preview: "If that was you, there is nothing left to do.",
    heading: "Your account has a new address",
    text: [
      "The email address of your account was changed just now. From here on you log in with the new one, and this is the last letter to the old one.",
      "If that was you, all is well. If it was not, take your account back: this address becomes yours again, everybody is signed out, passkeys added in the last week or since are removed, and you choose a new password.",
    ],
    button: { label: "This was not me", href: url, isWrittenOut: true },
    notes: ["The link works once, and for seven days."],
  });
}

/** The mail with the password reset link. */
export function passwordResetMail({ url }: { url: string }): Mail {
  return composeMail({
    subject: "Choose a new password",
    preview: "The link works once, and for one hour.",
    heading: "The way back in",
    text: ["You asked for a new password. Choose one, and you can log in again."],
    button: { label: "Choose a new password", href: url, isWrittenOut: true },
    notes: [
      "The link works once, and for one hour.",
      "If you did not ask for it, you need not do anything: your password stays as it is.",
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
  const devices = `every ${by === "reset" ? "" : "other "}device that was signed in`;
  return composeMail({
    subject: "Your password was changed",
    preview: "If that was you, there is nothing left to do.",
    heading: "Your password was changed",
    text: [
      `A new password was chosen for your account just now, and ${devices} has been signed out.`,
      passkeys.count > 0 && (
        <>
          Your account has {passkeys.count === 1 ? "a passkey" : `${passkeys.count} passkeys`},
          which can sign in as before. Please look whether you know{" "}
          {passkeys.count === 1 ? "it" : "all of them"}:{" "}
          <MailLink href={passkeys.url}>your passkeys</MailLink>.
        </>
      ),
      "If that was you, all is well and there is nothing left to do. If it was not, take your account back now: choose a new password.",
    ],
    button: { label: "This was not me", href: url },
    notes: ["You get this letter each time your password changes."],
  });
}

/** What a deleted account leaves of its membership: nothing, a bank debit on its way, or the subscription at Stripe. */
export type LeftMembership = "nothing" | "debit" | "subscription";

const ENDED = "If you were a premium member, your membership has ended, and";
const LEFT: Record<LeftMembership, string> = {
  nothing: `${ENDED} nothing more will be charged.`,
  debit: `${ENDED} no new payment will be taken. A bank debit that was already on its way may still arrive; write to us to get it back.`,
  subscription:
    "If you were a premium member, your membership is ended by hand. Should anything be charged after this letter, please write to us.",
};

/** Confirms that an account was deleted. The last mail to its address. */
export function accountDeletedMail({ membership }: { membership: LeftMembership }): Mail {
  return composeMail({
    subject: "Your account is deleted",
    preview: "With everything that belonged to it.",
    heading: "Farewell, and thank you",
    text: [
      `Your account and everything that belonged to it are deleted: your notes, your place in the book, and your address on the newsletter’s list. ${LEFT[membership]}`,
      "Receipts of past payments stay with Stripe for as long as the law requires.",
      "Should your way lead past here again, you are welcome as anybody new.",
    ],
    notes: [
      "This is the last letter to this address. If it was not you who deleted the account, please write to us.",
    ],
  });
}
