import { composeMail } from "../compose-mail";
import { MailLink } from "../mail-elements";
import type { Mail } from "../render-mail";

type PasswordChange = {
  /** Where to reset it. */
  url: string;
  /** By a reset link or on the account page. */
  by: "reset" | "change";
  /** The account's passkeys, which the change leaves as they are, and where they are listed. */
  passkeys: { count: number; url: string };
};

/** Notifies the owner of an account that its password was changed, and of other ways into it. */
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
