import Stripe from "stripe";
import { log } from "~/observability/log.server";
import { idOf } from "./coverage";
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
 * once, then leaves retries to Stripe; tries none while a bank payment is pending, nor one whose payment its holder has
 * to confirm. Resolves to whether anything changed at Stripe; rejects with Stripe's errors.
 */
export async function switchToNewCard(billing: CustomerBilling): Promise<boolean> {
  const { failedPaymentMethods, isPaymentPending } = billing;
  let hasChanged = false;
  for (const membership of payableMemberships(billing)) {
    const { subscription, pinned, chosen, openInvoice, confirmation } = membership;
    const isReplaced = pinned !== null && chosen !== null && (await isNewer(chosen, pinned));
    const card = isReplaced ? chosen : (pinned ?? chosen);
    const isUntried =
      card !== null &&
      openInvoice !== null &&
      !isPaymentPending &&
      confirmation?.paymentMethod !== card &&
      subscription.metadata[TRIED] !== card &&
      !failedPaymentMethods.has(card);
    if (!isReplaced && !isUntried) continue;
    await stripeClient().subscriptions.update(subscription.id, {
      ...(isReplaced ? { default_payment_method: "" } : {}),
      ...(isUntried ? { metadata: { [TRIED]: card } } : {}),
    });
    if (isReplaced)
      log().info({ subscription: subscription.id }, "membership switched to a new payment method");
    if (isUntried && openInvoice) await pay(openInvoice);
    hasChanged = true;
  }
  return hasChanged;
}

/** What came of paying an open invoice with a new card; null if none was tried, or the holder has to confirm it. */
export type NewCard = "trying" | "declined" | null;

/**
 * Returns the outcome of the new card that was tried last. "trying" means that another process or a sync for another
 * purpose is paying with it, and Stripe does not show the outcome yet.
 */
export function newCardOf(billing: CustomerBilling): NewCard {
  for (const membership of payableMemberships(billing)) {
    const { subscription, pinned, chosen, openInvoice, confirmation } = membership;
    const tried = subscription.metadata[TRIED];
    const isCurrent = tried === pinned || tried === chosen;
    if (!openInvoice || !tried || !isCurrent || confirmation) continue;
    return billing.failedPaymentMethods.has(tried) ? "declined" : "trying";
  }
  return null;
}

/**
 * Returns the memberships a new card may pay for, each with its open invoice and the ids of its own payment method and
 * of its customer's default. The methods themselves are not expanded, because a restricted key may not read them.
 */
function payableMemberships({ memberships }: CustomerBilling) {
  return memberships
    .filter(
      ({ subscription, coverage }) =>
        !isOver(subscription) && !subscription.pause_collection && !coverage.revoked,
    )
    .map((membership) => {
      const { subscription } = membership;
      const pinned = idOf(subscription.default_payment_method);
      const chosen = defaultCard(subscription);
      const { confirmation } = membership;
      return {
        subscription,
        pinned,
        chosen,
        openInvoice: findOpenInvoice(membership),
        confirmation,
      };
    });
}

/** Returns whether a payment method is another one, and not older. Asks Stripe only if it is another one. */
async function isNewer(chosen: string, pinned: string): Promise<boolean> {
  if (chosen === pinned) return false;
  const { paymentMethods } = stripeClient();
  const [theirs, own] = await Promise.all([
    paymentMethods.retrieve(chosen),
    paymentMethods.retrieve(pinned),
  ]);
  return theirs.created >= own.created;
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

function defaultCard({ customer }: Stripe.Subscription): string | null {
  if (typeof customer === "string" || customer.deleted) return null;
  return idOf(customer.invoice_settings.default_payment_method);
}
