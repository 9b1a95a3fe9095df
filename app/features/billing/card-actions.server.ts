import Stripe from "stripe";
import { log } from "~/observability/log.server";
import { idOf } from "./coverage";
import type { CustomerBilling, ExaminedMembership } from "./customer-billing.server";
import { stripeClient } from "./stripe-client.server";
import { isOver } from "./subscription-state";

/** At Stripe: the payment method that was last tried for what a membership owes, so that each is tried once. */
const TRIED = "tried_payment_method";

/**
 * Lets a membership be paid with the card its holder has added last. Checkout pins its card to the
 * subscription, and Stripe's portal changes only the customer's default
 * (https://docs.stripe.com/customer-management/portal-deep-links), so that without this the old card would
 * go on being charged; and a new card by itself pays nothing that is owed
 * (https://docs.stripe.com/billing/revenue-recovery/smart-retries). Each card is tried once: what it fails
 * to pay is left to Stripe's retries; and none while a bank still has a payment on its way. Gives whether
 * anything was changed at Stripe; throws what Stripe throws.
 */
export async function followNewCard({
  memberships,
  failedPaymentMethods,
  isPaymentUnderWay,
}: CustomerBilling): Promise<boolean> {
  let hasChanged = false;
  for (const membership of memberships) {
    const { subscription, coverage } = membership;
    if (isOver(subscription) || subscription.pause_collection || coverage.withdrawn) continue;
    const pinned = cardOf(subscription.default_payment_method);
    const chosen = defaultCard(subscription);
    const isReplaced =
      pinned !== null &&
      chosen !== null &&
      chosen.id !== pinned.id &&
      chosen.created >= pinned.created;
    const card = isReplaced ? chosen : (pinned ?? chosen);
    const owed = owedInvoice(membership);
    const isUntried =
      card !== null &&
      owed !== null &&
      !isPaymentUnderWay &&
      subscription.metadata[TRIED] !== card.id &&
      !failedPaymentMethods.has(card.id);
    if (!isReplaced && !isUntried) continue;
    await stripeClient().subscriptions.update(subscription.id, {
      ...(isReplaced ? { default_payment_method: "" } : {}),
      ...(isUntried ? { metadata: { [TRIED]: card.id } } : {}),
    });
    if (isReplaced) log().info({ subscription: subscription.id }, "follows a new payment method");
    if (isUntried && owed) await pay(owed);
    hasChanged = true;
  }
  return hasChanged;
}

/**
 * The newest invoice, if Stripe has tried to collect it in vain and goes on trying: not one whose collection the
 * author has stopped (https://docs.stripe.com/invoicing/integration/automatic-advancement-collection), or that
 * is sent to be paid by hand. Older ones are for months that gave no access, and the status follows the newest.
 */
function owedInvoice({ invoices, subscription }: ExaminedMembership): Stripe.Invoice | null {
  const newest = invoices.find(({ id }) => id === idOf(subscription.latest_invoice));
  const isOwed =
    newest?.status === "open" &&
    newest.attempted &&
    newest.auto_advance &&
    newest.collection_method === "charge_automatically";
  return isOwed ? newest : null;
}

async function pay({ id }: Stripe.Invoice): Promise<void> {
  try {
    await stripeClient().invoices.pay(id);
    log().info({ invoice: id }, "paid with a new payment method");
  } catch (error) {
    const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
    if (error instanceof StripeCardError) {
      log().info({ invoice: id, code: error.code }, "the new payment method was declined too");
    } else if (error instanceof StripeInvalidRequestError) {
      // another look at the same customer, or its holder, was faster
      log().info({ invoice: id, err: error }, "nothing is owed any more");
    } else {
      throw error;
    }
  }
}

function defaultCard({ customer }: Stripe.Subscription): Stripe.PaymentMethod | null {
  if (typeof customer === "string" || customer.deleted) return null;
  return cardOf(customer.invoice_settings.default_payment_method);
}

function cardOf(method: string | Stripe.PaymentMethod | null): Stripe.PaymentMethod | null {
  return typeof method === "string" ? null : method;
}
