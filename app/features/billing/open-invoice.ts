import type Stripe from "stripe";
import { idOf } from "./coverage";

/**
 * Returns a subscription's newest invoice if Stripe failed to collect it and still retries. Skips one whose
 * collection the author stopped (https://docs.stripe.com/invoicing/integration/automatic-advancement-collection) or
 * that is paid manually. Ignores older ones: they are for months without access, and the status depends on the
 * newest.
 */
export function findOpenInvoice({
  invoices,
  subscription,
}: {
  invoices: readonly Stripe.Invoice[];
  subscription: Stripe.Subscription;
}): Stripe.Invoice | null {
  const newest = invoices.find(({ id }) => id === idOf(subscription.latest_invoice));
  const isOwed =
    newest?.status === "open" &&
    newest.attempted &&
    newest.auto_advance &&
    newest.collection_method === "charge_automatically";
  return isOwed ? newest : null;
}
