import { env } from "~/env.server";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import type { MailKind } from "~/features/mail/mail-kinds";
import { type Mail, renderMail } from "~/features/mail/render-mail";
import {
  membershipBegunMail,
  membershipCancelledMail,
  membershipEndedMail,
  membershipRefundedMail,
  membershipRenewalFailedMail,
} from "~/features/mail/templates/membership-mails";
import { priceText, shownPrice } from "~/features/membership/premium-price";
import { log } from "~/observability/log.server";
import type { Transaction } from "~db/client";
import { findEmailOfUser } from "~db/queries/users";
import type { Profile } from "~db/schema";
import { CARD_PATH } from "./billing-paths";
import type { CustomerBilling } from "./customer-billing.server";
import { type MembershipFact, membershipFacts } from "./membership-facts";

/**
 * Queues the mails about what a snapshot shows for the first time, in the transaction that writes it, so that each
 * fact is mailed if and only if it is recorded. A mail that fails is logged and left out, since the billing state
 * matters more. Rendering one takes a few milliseconds, in which only other syncs of this customer wait.
 */
export async function enqueueMembershipMails(
  before: Profile,
  snapshot: CustomerBilling & { at: Date; isUnfinished: boolean },
  tx: Transaction,
): Promise<void> {
  const facts = membershipFacts(before, snapshot);
  if (facts.length === 0) return;
  try {
    // a savepoint: without it, a statement that fails would take the billing state with it
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

function mailOf(fact: MembershipFact, { price }: Pick<CustomerBilling, "price">): Mail {
  const { PUBLIC_URL } = env();
  const premiumUrl = `${PUBLIC_URL}/premium`;
  // whoever may have no access: it asks to log in, and shows what there is to manage
  const cardUrl = PUBLIC_URL + CARD_PATH;
  switch (fact.kind) {
    case "begun":
      return membershipBegunMail({
        price: price && shownPrice(price),
        renewsAt: fact.renewsAt,
        url: premiumUrl,
      });
    case "renewal-failed":
      return membershipRenewalFailedMail({
        amount: priceText(fact.amount),
        accessUntil: fact.accessUntil,
        url: cardUrl,
      });
    case "cancelled":
      return membershipCancelledMail({
        endsAt: new Date(fact.status.at),
        status: fact.status.kind,
        url: fact.status.kind === "ends-with-problem" ? cardUrl : premiumUrl,
      });
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
