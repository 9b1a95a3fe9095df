import type Stripe from "stripe";
import { idOf } from "./coverage";

/**
 * A subscription's newest invoice, if Stripe has failed to collect it and is still retrying: not one whose
 * collection the author has stopped
 * (https://docs.stripe.com/invoicing/integration/automatic-advancement-collection) or that is paid manually. Older
 * ones are for months without access, and the status depends on the newest.
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
