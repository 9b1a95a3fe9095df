import type Stripe from "stripe";
import { resourceMissing } from "./api-error";
import { nextPeriodEnd } from "./billing-period";
import { newId } from "./ids";
import { wholeList } from "./lists";
import { planOf } from "./prices";
import type { Sandbox } from "./sandbox";
import type { Price, Subscription, SubscriptionItem, Wire } from "./wire";

export type SubscriptionDraft = {
  customerId: string;
  price: Price;
  quantity: number;
  metadata: Record<string, string>;
  description: string | null;
  paymentMethodId: string;
  isTaxed?: boolean;
};

/** Stores a new subscription whose first invoice is still to be paid, without emitting an event. */
export function addSubscription(sandbox: Sandbox, draft: SubscriptionDraft): Subscription {
  const now = sandbox.now();
  const id = newId("sub");
  const { price } = draft;
  const item: Wire<Stripe.SubscriptionItem> & SubscriptionItem = {
    id: newId("si", 14),
    object: "subscription_item",
    billing_thresholds: null,
    created: now,
    current_period_end: nextPeriodEnd(now, now, intervalOf(price)),
    current_period_start: now,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planOf(price),
    price: structuredClone(price),
    quantity: draft.quantity,
    subscription: id,
    tax_rates: [],
  };
  const subscription: Subscription = {
    id,
    object: "subscription",
    application: null,
    application_fee_percent: null,
    automatic_tax: {
      disabled_reason: null,
      enabled: draft.isTaxed ?? false,
      liability: draft.isTaxed ? { type: "self" } : null,
    },
    billing_cycle_anchor: now,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: { proration_discounts: "included" }, type: "flexible" },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: "charge_automatically",
    created: now,
    currency: price.currency,
    customer: draft.customerId,
    customer_account: null,
    days_until_due: null,
    default_payment_method: draft.paymentMethodId,
    default_source: null,
    default_tax_rates: [],
    description: draft.description,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: "self" },
    },
    items: wholeList(`/v1/subscription_items?subscription=${id}`, [item]),
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    metadata: draft.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: "off",
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: now,
    status: "incomplete",
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_settings: null,
    trial_start: null,
  } satisfies Wire<Stripe.Subscription>;
  sandbox.state.subscriptions.set(subscription.id, subscription);
  return subscription;
}

/** The billing interval of a price. */
export function intervalOf(price: Price): { interval: string; interval_count: number } {
  return price.recurring ?? { interval: "month", interval_count: 1 };
}

/** The subscription, or Stripe's error for an id that names none. */
export function requireSubscription(sandbox: Sandbox, id: string, param = "id"): Subscription {
  const subscription = sandbox.state.subscriptions.get(id);
  if (!subscription) throw resourceMissing("subscription", id, param);
  return subscription;
}

/** A subscription's item, of which there is always one here; it has price and period. */
export function itemOf(subscription: Subscription): SubscriptionItem {
  const [item] = subscription.items.data;
  if (!item) throw new Error(`Subscription ${subscription.id} has no item.`);
  return item;
}

/** Whether a subscription has ended for good. */
export function isOver(subscription: Subscription): boolean {
  return subscription.status === "canceled" || subscription.status === "incomplete_expired";
}

/** Whether a subscription renews at its period's end. */
export function isRenewing(subscription: Subscription): boolean {
  return subscription.status === "active" || subscription.status === "past_due";
}
