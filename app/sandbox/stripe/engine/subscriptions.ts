import type Stripe from "stripe";
import { nextPeriodEnd } from "./billing-period";
import { planOf } from "./catalog";
import type { Sandbox } from "./sandbox";
import type { Coupon } from "./state";
import {
  newId,
  nulls,
  type Price,
  type Subscription,
  type SubscriptionItem,
  type Wire,
  wholeList,
} from "./wire";

export type SubscriptionDraft = {
  customerId: string;
  price: Price;
  quantity: number;
  metadata: Record<string, string>;
  paymentMethodId: string;
  isTaxed?: boolean;
  /** One of the price's currencies; its own by default. */
  currency?: string;
  coupon?: Coupon | null;
};

/** Stores a new subscription with an unpaid first invoice, without emitting an event. */
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
    ...nulls(
      "application application_fee_percent billing_cycle_anchor_config billing_thresholds",
      "cancel_at canceled_at customer_account days_until_due default_source description ended_at",
      "latest_invoice managed_payments next_pending_invoice_item_invoice on_behalf_of",
      "pause_collection pending_invoice_item_interval pending_setup_intent pending_update schedule",
      "test_clock transfer_data trial_end trial_settings trial_start",
    ),
    automatic_tax: {
      disabled_reason: null,
      enabled: draft.isTaxed ?? false,
      liability: draft.isTaxed ? { type: "self" } : null,
    },
    billing_cycle_anchor: now,
    billing_mode: { flexible: { proration_discounts: "included" }, type: "flexible" },
    billing_schedules: [],
    cancel_at_period_end: false,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: "charge_automatically",
    created: now,
    currency: draft.currency ?? price.currency,
    customer: draft.customerId,
    default_payment_method: draft.paymentMethodId,
    default_tax_rates: [],
    discounts: [],
    invoice_settings: {
      ...nulls("account_tax_ids custom_fields description footer"),
      issuer: { type: "self" },
    },
    items: wholeList(`/v1/subscription_items?subscription=${id}`, [item]),
    livemode: false,
    metadata: draft.metadata,
    payment_settings: {
      ...nulls("payment_method_options payment_method_types"),
      save_default_payment_method: "off",
    },
    start_date: now,
    status: "incomplete",
  } satisfies Wire<Stripe.Subscription>;
  sandbox.state.subscriptions.set(subscription.id, subscription);
  return subscription;
}

/** Returns a price's billing interval. */
export function intervalOf(price: Price): { interval: string; interval_count: number } {
  return price.recurring ?? { interval: "month", interval_count: 1 };
}

/** Returns a subscription's only item, which has its price and period. */
export function itemOf(subscription: Subscription): SubscriptionItem {
  const [item] = subscription.items.data;
  if (!item) throw new Error(`Subscription ${subscription.id} has no item.`);
  return item;
}

/** Whether a subscription has ended for good. */
export function isOver(subscription: Subscription): boolean {
  return subscription.status === "canceled" || subscription.status === "incomplete_expired";
}

/** Whether a subscription renews at the end of its period. */
export function isRenewing(subscription: Subscription): boolean {
  return ["active", "past_due", "trialing"].includes(subscription.status);
}
