import { mailDate } from "../mail-date";
import { MailButton, MailHeading, MailSmallPrint, MailText } from "../mail-elements";
import type { Mail } from "../render-mail";

type MembershipCancelled = {
  endsAt: Date;
  /** Whether it is still charged before it ends: it is set to end after more than the current period. */
  renewsUntilThen: boolean;
  /** The members' area, where the membership is taken up again too. */
  url: string;
};

/** Confirms that a membership is cancelled, and says until when access lasts. */
export function membershipCancelledMail({
  endsAt,
  renewsUntilThen,
  url,
}: MembershipCancelled): Mail {
  const day = mailDate(endsAt);
  const until = renewsUntilThen
    ? `Your membership ends on ${day}. Until then it renews as before.`
    : `You keep your access until ${day}, and nothing more will be charged.`;
  return {
    subject: "Your membership is cancelled",
    preview: until,
    content: (
      <>
        <MailHeading>Your membership is cancelled</MailHeading>
        <MailText>
          This letter confirms it. <strong>{until}</strong>
        </MailText>
        <MailText>
          Thank you for the stretch you have walked with us. If you change your mind before that
          day, you can take your membership up again in the members’ area.
        </MailText>
        <MailButton href={url}>Open the members’ area</MailButton>
      </>
    ),
    notes: (
      <MailSmallPrint>
        If it was not you who cancelled, take it up again there, and choose a new password.
      </MailSmallPrint>
    ),
  };
}
