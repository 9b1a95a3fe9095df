import { env } from "~/env.server";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import type { MailKind } from "~/features/mail/mail-kinds";
import { type Mail, renderMail } from "~/features/mail/render-mail";
import {
  membershipBegunMail,
  membershipCanceledMail,
  membershipEndedMail,
  membershipRefundedMail,
  membershipRenewalFailedMail,
  membershipTwiceMail,
} from "~/features/mail/templates/membership-mails";
import { nextPayment } from "~/features/membership/next-payment";
import { periodText, priceText } from "~/features/membership/premium-price";
import { currentSite } from "~/features/site/current-site.server";
import { sellerOf } from "~/features/site/site";
import { log } from "~/observability/log.server";
import type { Transaction } from "~db/client";
import { findEmailOfUser } from "~db/queries/users";
import type { Profile } from "~db/schema";
import { CANCELLATION_PATH, CARD_PATH, MEMBERSHIP_PATH } from "./billing-paths";
import type { CustomerBilling } from "./customer-billing.server";
import { type MembershipFact, membershipFacts } from "./membership-facts";

/**
 * Queues the mails about a snapshot's new facts, in the transaction that writes it: a fact is mailed if and only if
 * it is recorded. Logs and skips mails that fail, since the billing state matters more. Rendering takes a few
 * milliseconds and delays only other syncs of this customer.
 */
export async function enqueueMembershipMails(
  before: Profile,
  snapshot: CustomerBilling & { at: Date; isUnfinished: boolean },
  tx: Transaction,
): Promise<void> {
  const facts = membershipFacts(before, snapshot);
  if (facts.length === 0) return;
  try {
    // a savepoint keeps a failed statement from rolling back the billing state
    await tx.transaction(async (savepoint) => {
      const to = await findEmailOfUser(before.id, savepoint);
      if (to === null) return;
      for (const fact of facts) {
        const message = await renderMail(mailOf(fact, snapshot));
        const kind = `membership-${fact.kind}` satisfies MailKind;
        await enqueueMail({ kind, to, message, idempotencyKey: fact.key }, savepoint);
      }
    });
  } catch (error) {
    const keys = facts.map(({ key }) => key);
    log().error({ userId: before.id, facts: keys, err: error }, "a member could not be mailed");
  }
}

function mailOf(fact: MembershipFact, billing: CustomerBilling): Mail {
  const { PUBLIC_URL, CANCELLATION_PAGE, MAIL_POSTAL_ADDRESS } = env();
  const paid = billing.memberships
    .find(({ subscription }) => subscription.id === billing.state.stripeSubscriptionId)
    ?.invoices.find(({ status }) => status === "paid");
  const premiumUrl = `${PUBLIC_URL}/premium`;
  // for members who may have no access: the page asks to log in and shows what they can manage
  const cardUrl = PUBLIC_URL + CARD_PATH;
  switch (fact.kind) {
    case "begun":
      return membershipBegunMail({
        seller: MAIL_POSTAL_ADDRESS ?? sellerOf(currentSite()),
        paid: paid ? priceText({ unitAmount: paid.amount_paid, currency: paid.currency }) : null,
        renewal: fact.renewsAt && {
          at: fact.renewsAt,
          amount: nextPayment(billing.nextPayment)?.amount ?? null,
        },
        period: billing.price && periodText(billing.price),
        url: premiumUrl,
        accountUrl: PUBLIC_URL + MEMBERSHIP_PATH,
        cancellationUrl: CANCELLATION_PAGE ? PUBLIC_URL + CANCELLATION_PATH : null,
      });
    case "renewal-failed":
      return membershipRenewalFailedMail({
        amount: priceText(fact.amount),
        accessUntil: fact.accessUntil,
        confirmUrl: fact.confirmUrl,
        url: cardUrl,
      });
    case "cancelled":
      return membershipCanceledMail({
        endsAt: new Date(fact.status.at),
        status: fact.status.kind,
        url: fact.status.kind === "ends-with-problem" ? cardUrl : premiumUrl,
      });
    case "twice":
      return membershipTwiceMail({ url: cardUrl });
    case "ended":
      return membershipEndedMail({ url: `${PUBLIC_URL}/#purchase` });
    case "refunded":
      return membershipRefundedMail({
        amount: priceText(fact.amount),
        status: fact.status,
        url: cardUrl,
      });
  }
}
