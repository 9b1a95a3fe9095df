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
  membershipTwiceMail,
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

function mailOf(fact: MembershipFact, { price }: Pick<CustomerBilling, "price">): Mail {
  const { PUBLIC_URL } = env();
  const premiumUrl = `${PUBLIC_URL}/premium`;
  // for members who may have no access: the page asks to log in and shows what they can manage
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
        confirmUrl: fact.confirmUrl,
        url: cardUrl,
      });
    case "cancelled":
      return membershipCancelledMail({
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
