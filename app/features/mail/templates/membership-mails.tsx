import { utcDate } from "~/ui";
import { composeMail } from "../compose-mail";
import { MailLink } from "../mail-elements";
import type { Mail } from "../render-mail";

type MembershipBegun = {
  /** Name and address. */
  seller: string;
  /** What was paid, with taxes and discounts, such as "$9.99"; null if unknown. */
  paid: string | null;
  /** The next charge; null if it does not renew. */
  renewal: { at: Date; amount: string | null } | null;
  /** Such as "per month". */
  period: string | null;
  /** The URL of the members' area. */
  url: string;
  /** Where it is canceled: in the account and, if the site has such a page, without signing in. */
  accountUrl: string;
  cancellationUrl: string | null;
};

/** Welcomes a new member. */
export function membershipBegunMail({
  seller,
  paid,
  renewal,
  period,
  url,
  accountUrl,
  cancellationUrl,
}: MembershipBegun): Mail {
  const price = renewal?.amount ?? paid;
  return composeMail({
    subject: "Welcome to Premium",
    preview: "You can read the whole book now.",
    heading: "You can read the whole book now",
    text: [
      "Thank you. Your membership has begun. All chapters and extras are in the members’ area.",
    ],
    facts: [
      { name: "Seller", value: seller },
      ...(paid && paid !== price ? [{ name: "Paid", value: paid }] : []),
      ...(price && period ? [{ name: "Price", value: `${price} ${period}` }] : []),
      ...(renewal
        ? [
            { name: "Next payment", value: mailDate(renewal.at) },
            { name: "Term", value: "renews until you cancel" },
          ]
        : []),
    ],
    button: { label: "Open the members’ area", href: url },
    notes: [
      <>
        You can cancel anytime, in two clicks,{" "}
        <MailLink href={accountUrl}>in your account</MailLink>.
      </>,
      cancellationUrl && (
        <>
          Or <MailLink href={cancellationUrl}>without logging in</MailLink>.
        </>
      ),
    ],
  });
}

type MembershipCanceled = {
  endsAt: Date;
  /**
   * `ends`: access lasts until then and nothing more is charged. `renews-until`: charged as before, because it ends
   * later than the current period. `ends-with-problem`: another problem makes both uncertain.
   */
  status: "ends" | "renews-until" | "ends-with-problem";
  /** The URL of the members' area or, with a problem, of the payment card page, where the membership is resumed. */
  url: string;
};

/** Confirms a cancellation and states when access ends. */
export function membershipCanceledMail({ endsAt, status, url }: MembershipCanceled): Mail {
  const until = untilWhen(status, mailDate(endsAt));
  const hasProblem = status === "ends-with-problem";
  return composeMail({
    subject: "Your membership is canceled",
    preview: until,
    heading: "Your membership is canceled",
    text: [
      <>
        This email confirms it. <strong>{until}</strong>
      </>,
      `Thank you for reading with us. If you change your mind before that day, you can resume your membership${hasProblem ? "" : " in the members’ area"}.`,
    ],
    button: {
      label: hasProblem ? "Manage your membership" : "Open the members’ area",
      href: url,
    },
    notes: ["If you didn’t cancel, resume it there and choose a new password."],
  });
}

function untilWhen(status: MembershipCanceled["status"], day: string): string {
  switch (status) {
    case "ends":
      return `You keep your access until ${day}, and nothing more will be charged.`;
    case "renews-until":
      return `Your membership ends on ${day}. Until then it renews as before.`;
    case "ends-with-problem":
      return `Your membership ends on ${day}.`;
  }
}

/** Tells a member that the membership has ended, canceled or unpaid. `url` is where to buy it again. */
export function membershipEndedMail({ url }: { url: string }): Mail {
  return composeMail({
    subject: "Your membership has ended",
    preview: "Nothing more will be charged. You can come back anytime.",
    heading: "Your membership has ended",
    text: [
      "You no longer have access to the members’ area, and nothing more will be charged. You keep your account, and your newsletter if you’re subscribed.",
      "Thank you for reading with us. You can come back anytime.",
    ],
    button: { label: "Come back to Premium", href: url },
    notes: ["You’re getting this email because your membership has ended."],
  });
}

type MembershipRefunded = {
  /** The refunded amount, such as "$9.99"; null if unknown. */
  amount: string | null;
  /** Whether the membership renews, ends at a known time, or has ended. */
  status: { kind: "renews" } | { kind: "ends"; at: Date } | { kind: "ended" };
  /** The URL where the membership and its invoices are managed. */
  url: string;
};

/** Tells a member that the last payment was refunded in full and what happens to the membership. */
export function membershipRefundedMail({ amount, status, url }: MembershipRefunded): Mail {
  const payment = `Your last payment${amount ? ` of ${amount}` : ""} was refunded`;
  const access = status.kind === "ended" ? "" : ", so your access has ended";
  return composeMail({
    subject: "Your payment was refunded",
    preview: "The money is on its way back to you, and your access has ended.",
    heading: "Your payment was refunded",
    text: [
      `${payment}${access}. It usually takes five to ten business days to show up.`,
      whatBecomesOfIt(status),
    ],
    button: {
      label: status.kind === "renews" ? "Manage or cancel membership" : "Invoices and receipts",
      href: url,
    },
    notes: ["You’re getting this email because a payment to us was refunded."],
  });
}

function whatBecomesOfIt(status: MembershipRefunded["status"]): string {
  switch (status.kind) {
    case "renews":
      return "Your membership still renews. Cancel it if you don’t want to be charged again.";
    case "ends":
      return `Your membership ends on ${mailDate(status.at)}, and nothing more will be charged.`;
    case "ended":
      return "Your membership has ended, and nothing more will be charged.";
  }
}

/** Tells a member that two memberships are charged, and how to end one; `url` is where both are managed. */
export function membershipTwiceMail({ url }: { url: string }): Mail {
  return composeMail({
    subject: "You have two memberships",
    preview: "You only need one. Cancel either of them.",
    heading: "You have two memberships",
    text: [
      "Your account has two memberships, and you’re being charged for both. You only need one.",
      "Cancel either of them; the other one continues. For a refund of the second one, reply to this email.",
    ],
    button: { label: "Manage your memberships", href: url },
    notes: ["If you’ve already canceled one, you don’t need to do anything."],
  });
}

type RenewalFailed = {
  /** The amount due, such as "$9.99"; null if unknown. */
  amount: string | null;
  /** When access ends if the payment stays unpaid; null if it has ended. */
  accessUntil: Date | null;
  /** Stripe's page on which the holder has to confirm the payment; null if it was declined. */
  confirmUrl: string | null;
  /** The URL to enter another card. */
  url: string;
};

/** Tells a member that a renewal payment failed, how long access lasts, and how to fix it. */
export function membershipRenewalFailedMail(failed: RenewalFailed): Mail {
  const { amount, accessUntil, confirmUrl, url } = failed;
  const payment = amount ? `the payment of ${amount}` : "the payment";
  const keeps = accessUntil
    ? `You keep your access until ${mailDate(accessUntil)}.`
    : "Your access is paused until the payment goes through.";
  if (confirmUrl) {
    return composeMail({
      subject: "Please confirm your membership payment",
      preview: `Your bank requires it. ${keeps}`,
      heading: "Please confirm your payment",
      text: [
        `We tried to renew your membership, and your bank wants you to confirm ${payment}. It takes a minute on Stripe’s page, with your current card.`,
        <strong key="keeps">{keeps}</strong>,
      ],
      button: { label: "Confirm the payment", href: confirmUrl },
      notes: ["If you’ve already confirmed it, you can ignore this email."],
    });
  }
  return composeMail({
    subject: "Your membership payment didn’t go through",
    preview: `${keeps} A new card fixes it.`,
    heading: "Your payment didn’t go through",
    text: [
      `We tried to renew your membership, but your bank declined ${payment}. The card may have expired or been replaced.`,
      <>
        <strong>{keeps}</strong> Update your card, and we’ll charge the new one right away.
      </>,
    ],
    button: { label: "Update payment card", href: url },
    notes: ["If you’ve already paid, you can ignore this email."],
  });
}

/** Formats a UTC day, such as "December 22, 2026", with non-breaking spaces. */
function mailDate(at: Date): string {
  return utcDate(at).replaceAll(" ", "\u00a0");
}
