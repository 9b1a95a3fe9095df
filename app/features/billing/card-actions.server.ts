import Stripe from "stripe";
import { log } from "~/observability/log.server";
import type { CustomerBilling } from "./customer-billing.server";
import { findOpenInvoice } from "./open-invoice";
import { stripeClient } from "./stripe-client.server";
import { isOver } from "./subscription-state";

/** Metadata key at Stripe: the payment method last tried for an open invoice, so that each is tried once. */
const TRIED = "tried_payment_method";

/**
 * Switches a membership to the card its holder added last. Checkout pins its card to the subscription, and
 * Stripe's portal changes only the customer's default
 * (https://docs.stripe.com/customer-management/portal-deep-links), so without this the old card would
 * still be charged; and adding a card does not pay an open invoice
 * (https://docs.stripe.com/billing/revenue-recovery/smart-retries). Each card is tried once, after which
 * Stripe's own retries take over, and none while a bank payment is pending. Resolves to whether anything was
 * changed at Stripe; rejects with Stripe's errors.
 */
export async function switchToNewCard(billing: CustomerBilling): Promise<boolean> {
  const { failedPaymentMethods, isPaymentPending } = billing;
  let hasChanged = false;
  for (const { subscription, isReplaced, card, openInvoice } of payableMemberships(billing)) {
    const isUntried =
      card !== null &&
      openInvoice !== null &&
      !isPaymentPending &&
      subscription.metadata[TRIED] !== card.id &&
      !failedPaymentMethods.has(card.id);
    if (!isReplaced && !isUntried) continue;
    await stripeClient().subscriptions.update(subscription.id, {
      ...(isReplaced ? { default_payment_method: "" } : {}),
      ...(isUntried ? { metadata: { [TRIED]: card.id } } : {}),
    });
    if (isReplaced)
      log().info({ subscription: subscription.id }, "membership switched to a new payment method");
    if (isUntried && openInvoice) await pay(openInvoice);
    hasChanged = true;
  }
  return hasChanged;
}

/**
 * Whether a new card has been tried for an open invoice with an outcome that Stripe does not show yet: another
 * process, or a sync for another purpose, is just paying with it.
 */
export function isTryingNewCard(billing: CustomerBilling): boolean {
  return payableMemberships(billing).some(
    ({ subscription, card, openInvoice }) =>
      card !== null &&
      openInvoice !== null &&
      subscription.metadata[TRIED] === card.id &&
      !billing.failedPaymentMethods.has(card.id),
  );
}

/** The memberships that a new card may be used for, each with the card to be charged and what is owed. */
function payableMemberships({ memberships }: CustomerBilling) {
  return memberships
    .filter(
      ({ subscription, coverage }) =>
        !isOver(subscription) && !subscription.pause_collection && !coverage.revoked,
    )
    .map((membership) => {
      const { subscription } = membership;
      const pinned = cardOf(subscription.default_payment_method);
      const chosen = defaultCard(subscription);
      const isReplaced =
        pinned !== null &&
        chosen !== null &&
        chosen.id !== pinned.id &&
        chosen.created >= pinned.created;
      const card = isReplaced ? chosen : (pinned ?? chosen);
      return { subscription, isReplaced, card, openInvoice: findOpenInvoice(membership) };
    });
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
      // A concurrent sync of the same customer, or its holder, has paid it.
      log().info({ invoice: id, err: error }, "the invoice is no longer open");
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
