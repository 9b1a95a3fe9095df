import Stripe from "stripe";
import { log } from "~/observability/log.server";
import type { CustomerBilling } from "./customer-billing.server";
import { findOpenInvoice } from "./open-invoice";
import { stripeClient } from "./stripe-client.server";
import { isOver } from "./subscription-state";

/** Stripe metadata key of the payment method last tried for an open invoice, so each is tried once. */
const TRIED = "tried_payment_method";

/**
 * Switches a membership to its holder's newest card, and pays an open invoice with it. Checkout pins its card to the
 * subscription, and Stripe's portal changes only the customer's default
 * (https://docs.stripe.com/customer-management/portal-deep-links), so the old card would still be charged. Adding a
 * card does not pay an open invoice (https://docs.stripe.com/billing/revenue-recovery/smart-retries). Tries each card
 * once, then leaves retries to Stripe; tries none while a bank payment is pending. Resolves to whether anything
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
 * Returns whether an open invoice is just being paid with a new card, by another process or a sync for another
 * purpose. Stripe does not show the outcome yet.
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

/** Returns the memberships a new card may pay for, each with the card to charge and the open invoice. */
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
      // A concurrent sync or the card's holder has paid it.
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
