import { env } from "~/env.server";
import { isLiveKey } from "~/environment/stripe-key";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import { operatorAddress } from "~/features/mail/operator-address.server";
import { renderMail } from "~/features/mail/render-mail";
import { authorNoticeMail } from "~/features/mail/templates/operator-mails";
import { log } from "~/observability/log.server";
import { db, type Executor } from "~db/client";

/** A refund, a dispute, a deletion at Stripe or a late payment to notify the author of. */
export type AuthorEvent = {
  kind:
    | "dispute-opened"
    | "dispute-won"
    | "dispute-lost"
    | "dispute-lost-paid-since"
    | "refunded"
    | "customer-deleted"
    | "paid-after-deletion";
  /** Null, like the subscription, once the account is deleted. */
  userId: string | null;
  stripeCustomerId: string;
  subscriptionId: string | null;
  chargeId?: string;
};

type Notice = { subject: string; did: string; todo: string };

/** For each event, what the site has done and what the author should do. */
const NOTICES: Record<AuthorEvent["kind"], Notice> = {
  "dispute-opened": {
    subject: "A payment is disputed",
    did: "A member's bank has asked for a payment back. The site has ended the member's access and paused the collection of further payments.",
    todo: "Answer the dispute at Stripe before its deadline, or accept it.",
  },
  "dispute-won": {
    subject: "A dispute is won",
    did: "The payment stays with you. The site has restored the member's access, and payments are being collected again.",
    todo: "You don't need to do anything.",
  },
  "dispute-lost": {
    subject: "A dispute is lost",
    did: "The payment has gone back to the member. The site has canceled the subscription, so nothing more is charged.",
    todo: "You don't need to do anything.",
  },
  "customer-deleted": {
    subject: "A member was deleted at Stripe",
    did: "Someone deleted a member's customer at Stripe, which canceled the subscription. Nothing more is charged, and access has ended.",
    todo: "If that was a mistake, refund the rest of the paid period. The member can buy again.",
  },
  "dispute-lost-paid-since": {
    subject: "A dispute is lost",
    did: "The payment has gone back to the member, who has paid again since. The membership continues, and payments are being collected again.",
    todo: "Cancel the subscription at Stripe if you don't want to sell to this member anymore.",
  },
  "paid-after-deletion": {
    subject: "A payment arrived from a deleted account",
    did: "A bank debit was in progress when its account was deleted, and has now arrived. The membership is over, and nothing more is charged.",
    todo: "Refund the payment in Stripe's dashboard.",
  },
  refunded: {
    subject: "A payment was refunded",
    did: "A membership's last payment was refunded in full. The site has ended the member's access; the subscription itself still renews.",
    todo: "Cancel the subscription at Stripe if the refund was meant to end it.",
  },
};

/**
 * Notifies the author of an event by a log line. If a mail server is configured, also queues a mail to
 * `OPERATOR_EMAIL`, or else to the address of `MAIL_FROM`, in the caller's transaction. Both contain only ids, to
 * look up in Stripe's dashboard. Call it once per change, and `wakeMailWorker` after the commit.
 */
export async function notifyAuthor(event: AuthorEvent, executor: Executor = db()): Promise<void> {
  const { kind, ...ids } = event;
  const { subject, did, todo } = NOTICES[kind];
  log().warn({ event: kind, ...ids }, `${subject.toLowerCase()}: ${did} ${todo}`);

  const { SMTP_URL, OPERATOR_EMAIL } = env();
  // disputes already raise an alert with the deadline (dispute-alerts.server.ts)
  if (OPERATOR_EMAIL && kind.startsWith("dispute")) return;
  const to = operatorAddress();
  if (!SMTP_URL || !to) return;
  const { userId, subscriptionId, stripeCustomerId, chargeId } = event;
  const notice = authorNoticeMail({
    subject,
    did,
    todo,
    customerUrl: dashboardUrl(`customers/${stripeCustomerId}`),
    paymentUrl: chargeId ? dashboardUrl(`payments/${chargeId}`) : null,
    subscriptionId,
    userId,
  });
  const message = await renderMail(notice);
  await enqueueMail({ kind: "author-notice", to, message }, executor);
}

/** Returns the URL of a page in Stripe's dashboard, which has a separate path for test data. */
export function dashboardUrl(path: string): string {
  const isLive = isLiveKey(env().STRIPE_API?.secretKey);
  return `https://dashboard.stripe.com/${isLive ? "" : "test/"}${path}`;
}
