import { MailButton, MailHeading, MailLink, MailSmallPrint, MailText } from "../mail-elements";
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
        {passkeys.count > 0 && (
          <MailText>
            Your account has {passkeys.count === 1 ? "a passkey" : `${passkeys.count} passkeys`},
            which can sign in as before. Please look whether you know{" "}
            {passkeys.count === 1 ? "it" : "all of them"}:{" "}
            <MailLink href={passkeys.url}>your passkeys</MailLink>.
          </MailText>
        )}
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
