import { composeMail } from "../compose-mail";
import { mailDate } from "../mail-date";
import type { Mail } from "../render-mail";

type MembershipCancelled = {
  endsAt: Date;
  /**
   * Whether access lasts until then and nothing more is charged, or it is charged as before until then because it
   * ends after more than the current period, or something else is wrong with it, so that neither is certain.
   */
  outlook: "ends" | "renews-until" | "ends-in-trouble";
  /** The members' area, or with trouble the page of the payment card, where the membership is resumed. */
  url: string;
};

/** Confirms that a membership is cancelled, and says until when access lasts. */
export function membershipCancelledMail({ endsAt, outlook, url }: MembershipCancelled): Mail {
  const until = untilWhen(outlook, mailDate(endsAt));
  const isInTrouble = outlook === "ends-in-trouble";
  return composeMail({
    subject: "Your membership is cancelled",
    preview: until,
    heading: "Your membership is cancelled",
    text: [
      <>
        This letter confirms it. <strong>{until}</strong>
      </>,
      `Thank you for the stretch you have walked with us. If you change your mind before that day, you can resume your membership${isInTrouble ? "" : " in the members’ area"}.`,
    ],
    button: {
      label: isInTrouble ? "Manage your membership" : "Open the members’ area",
      href: url,
    },
    notes: ["If it was not you who cancelled, resume it there, and choose a new password."],
  });
}

function untilWhen(outlook: MembershipCancelled["outlook"], day: string): string {
  switch (outlook) {
    case "ends":
      return `You keep your access until ${day}, and nothing more will be charged.`;
    case "renews-until":
      return `Your membership ends on ${day}. Until then it renews as before.`;
    case "ends-in-trouble":
      return `Your membership ends on ${day}.`;
  }
}
