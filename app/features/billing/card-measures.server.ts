import Stripe from "stripe";
import { log } from "~/server/log.server";
import type { CustomerBilling, ExaminedMembership } from "./customer-billing.server";
import { stripeClient } from "./stripe-client.server";
import { isOver } from "./subscription-state";

/**
 * Lets a membership be paid with the card its holder has added last. Checkout pins its card to the
 * subscription, and Stripe's portal changes only the customer's default, so that without this the old card
 * would go on being charged; and a new card by itself pays nothing that is owed
 * (https://docs.stripe.com/billing/revenue-recovery/smart-retries). Each card is tried once: what it fails
 * to pay is left to Stripe's retries. Gives whether anything was changed at Stripe; throws what Stripe throws.
 */
export async function followNewCard({
  memberships,
  lastFailedPaymentAt,
}: CustomerBilling): Promise<boolean> {
  let hasChanged = false;
  for (const membership of memberships) {
    const { subscription, coverage } = membership;
    if (isOver(subscription) || subscription.pause_collection || coverage.withdrawn) continue;
    const pinned = cardOf(subscription.default_payment_method);
    const chosen = defaultCard(subscription);
    const isReplaced = pinned !== null && chosen !== null && chosen.created > pinned.created;
    if (isReplaced) {
      await stripeClient().subscriptions.update(subscription.id, { default_payment_method: "" });
      log().info({ subscription: subscription.id }, "follows its holder's new payment method");
      hasChanged = true;
    }
    const card = isReplaced ? chosen : (pinned ?? chosen);
    if (card && lastFailedPaymentAt !== null && card.created > lastFailedPaymentAt) {
      hasChanged = (await payWhatIsOwed(membership)) || hasChanged;
    }
  }
  return hasChanged;
}

async function payWhatIsOwed({ invoices, subscription }: ExaminedMembership): Promise<boolean> {
  const owed = invoices.filter(({ status, attempted }) => status === "open" && attempted);
  for (const { id } of owed) {
    try {
      await stripeClient().invoices.pay(id);
      log().info(
        { subscription: subscription.id, invoice: id },
        "paid with the new payment method",
      );
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeCardError)) throw error;
      log().info({ invoice: id, code: error.code }, "the new payment method was declined too");
    }
  }
  return owed.length > 0;
}

function defaultCard({ customer }: Stripe.Subscription): Stripe.PaymentMethod | null {
  if (typeof customer === "string" || customer.deleted) return null;
  return cardOf(customer.invoice_settings.default_payment_method);
}

function cardOf(method: string | Stripe.PaymentMethod | null): Stripe.PaymentMethod | null {
  return typeof method === "string" ? null : method;
}
