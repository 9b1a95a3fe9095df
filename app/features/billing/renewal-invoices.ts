import type { RenewalInvoice } from "~db/queries/renewal-failures";
import type { Profile } from "~db/schema";
import type { CustomerBilling } from "./customer-billing.server";
import { findOpenInvoice } from "./open-invoice";

/** Statuses with an unpaid renewal. */
const OWING = new Set(["past_due", "unpaid"]);

/**
 * Returns a snapshot's invoices of failed renewals and of those paid later. None for a membership that owes nothing,
 * now or before.
 */
export function renewalInvoices(
  before: Pick<Profile, "stripeSubscriptionStatus">,
  { memberships, at }: Pick<CustomerBilling, "memberships"> & { at: Date },
): RenewalInvoice[] {
  const owed = OWING.has(before.stripeSubscriptionStatus ?? "");
  return memberships.flatMap((membership) => {
    if (!owed && !OWING.has(membership.subscription.status)) return [];
    const open = findOpenInvoice(membership);
    return membership.invoices
      .filter(({ billing_reason }) => billing_reason === "subscription_cycle")
      .filter(({ id, status }) => status === "paid" || id === open?.id)
      .map(({ id, status, status_transitions: { finalized_at, paid_at }, created }) => ({
        invoiceId: id,
        failedAt: status === "paid" ? null : dateOf(finalized_at ?? created),
        paidAt: status === "paid" ? (paid_at ? dateOf(paid_at) : at) : null,
      }));
  });
}

const dateOf = (seconds: number) => new Date(seconds * 1_000);
