import { composeMail } from "../compose-mail";
import type { Mail } from "../render-mail";

type Cancellation = {
  /** Such as "November 28, 2026 at 3:40:12 PM UTC". */
  receivedAt: string;
  facts: readonly { name: string; value: string }[];
};

/** Confirms to an address that its declaration has arrived, whether or not it has a contract. */
export function cancellationReceivedMail({ receivedAt, facts }: Cancellation): Mail {
  return composeMail({
    subject: "We’ve received your cancellation",
    preview: `It arrived on ${receivedAt}.`,
    heading: "We’ve received your cancellation",
    text: [
      <>
        It arrived on <strong>{receivedAt}</strong>, as follows.
      </>,
      "We’ll match it to your contract. An ordinary cancellation takes effect at the end of the paid period, or on the later day you name. We’ll write to you if anything is missing.",
    ],
    facts,
    notes: [
      "You’re getting this email because someone entered your address on our cancellation page. If it wasn’t you, reply to this email.",
    ],
  });
}

/** Asks the operator to match a declaration with a contract, and to end that. */
export function cancellationDeclaredMail({
  receivedAt,
  facts,
  email,
}: Cancellation & { email: string }): Mail {
  return composeMail({
    subject: "A cancellation to match",
    preview: `It arrived on ${receivedAt}.`,
    heading: "A cancellation to match",
    text: [
      `Someone canceled on the cancellation page on ${receivedAt} and got a confirmation. The site ended nothing, because no one was logged in.`,
      "Find the contract, cancel the subscription in Stripe’s dashboard, and tell the person when it ends, or that you found none.",
      <code key="show">golden-path members show {email}</code>,
    ],
    facts,
    signature: null,
    notes: ["The law counts from the day it arrived, not from the day you read it."],
  });
}
