import type Stripe from "stripe";
import { noSuch, notAllowed } from "./api-errors";
import { checkCustomerFilter } from "./customers";
import { type Endpoint, endpoint } from "./endpoint";
import { update } from "./events";
import { page } from "./lists";
import {
  boolean,
  changeMetadata,
  emptyable,
  expand,
  hash,
  integer,
  metadata,
  moment,
  oneOf,
  onlyExpand,
  type ParametersOf,
  paging,
  required,
  text,
  unplayed,
} from "./parameters";
import { paymentMethodNamed } from "./payment-methods";
import { endSubscription, setCancelAtPeriodEnd } from "./subscription-lifecycle";
import { isOver, itemOf, subscriptionNamed } from "./subscriptions";
import type { Subscription } from "./wire";

const feedback = oneOf(
  "customer_service",
  "low_quality",
  "missing_features",
  "other",
  "switched_service",
  "too_complex",
  "too_expensive",
  "unused",
);

const cancellationDetails = hash({
  comment: emptyable(text()),
  feedback: emptyable(feedback),
  ...unplayed("feedback_option"),
} satisfies ParametersOf<Stripe.SubscriptionCancelParams.CancellationDetails>);

const subscriptionList = {
  ...paging,
  collection_method: oneOf("charge_automatically", "send_invoice"),
  created: moment(),
  current_period_end: moment(),
  current_period_start: moment(),
  customer: text(),
  price: text(),
  status: oneOf(
    "active",
    "all",
    "canceled",
    "ended",
    "incomplete",
    "incomplete_expired",
    "past_due",
    "paused",
    "trialing",
    "unpaid",
  ),
  ...unplayed("automatic_tax", "customer_account", "plan", "test_clock"),
} satisfies ParametersOf<Stripe.SubscriptionListParams>;

const subscriptionUpdate = {
  cancel_at: emptyable(integer(0)),
  cancel_at_period_end: boolean(),
  cancellation_details: cancellationDetails,
  default_payment_method: text(),
  description: emptyable(text(500)),
  expand,
  metadata: metadata(),
  ...unplayed(
    "add_invoice_items",
    "application_fee_percent",
    "automatic_tax",
    "billing_cycle_anchor",
    "billing_schedules",
    "billing_thresholds",
    "collection_method",
    "days_until_due",
    "default_source",
    "default_tax_rates",
    "discounts",
    "invoice_settings",
    "items",
    "off_session",
    "on_behalf_of",
    "pause_collection",
    "payment_behavior",
    "payment_settings",
    "pending_invoice_item_interval",
    "proration_behavior",
    "proration_date",
    "transfer_data",
    "trial_end",
    "trial_from_plan",
    "trial_settings",
  ),
} satisfies ParametersOf<Stripe.SubscriptionUpdateParams>;

const subscriptionCancel = {
  cancellation_details: cancellationDetails,
  expand,
  // Nothing is metered and nothing prorated here, so that neither makes a difference.
  invoice_now: boolean(),
  prorate: boolean(),
} satisfies ParametersOf<Stripe.SubscriptionCancelParams>;

const itemList = {
  ...paging,
  subscription: required(text()),
} satisfies ParametersOf<Stripe.SubscriptionItemListParams>;

function hasStatus(subscription: Subscription, wanted: string | undefined): boolean {
  if (wanted === "all") return true;
  if (wanted === "ended") return isOver(subscription);
  return wanted === undefined ? !isOver(subscription) : subscription.status === wanted;
}

type Details = { comment?: string | null; feedback?: string | null };

function noteDetails(subscription: Subscription, given: Details | undefined): void {
  const details = subscription.cancellation_details;
  if (!details || !given) return;
  if (given.comment !== undefined) details.comment = given.comment;
  if (given.feedback !== undefined) details.feedback = given.feedback;
}

export const subscriptionEndpoints: Endpoint[] = [
  endpoint("GET", "/v1/subscriptions", subscriptionList, (call) => {
    const { values, sandbox } = call;
    checkCustomerFilter(sandbox, values.customer);
    return page(call, "subscription", sandbox.state.subscriptions.values(), (subscription) => {
      const item = itemOf(subscription);
      return (
        hasStatus(subscription, values.status) &&
        (values.customer === undefined || subscription.customer === values.customer) &&
        (values.price === undefined || item.price.id === values.price) &&
        (values.collection_method === undefined ||
          subscription.collection_method === values.collection_method) &&
        (values.created?.(subscription.created) ?? true) &&
        (values.current_period_end?.(item.current_period_end) ?? true) &&
        (values.current_period_start?.(item.current_period_start) ?? true)
      );
    });
  }),
  endpoint("GET", "/v1/subscriptions/:id", onlyExpand, ({ sandbox, id }) =>
    subscriptionNamed(sandbox, id),
  ),
  endpoint("POST", "/v1/subscriptions/:id", subscriptionUpdate, ({ sandbox, id, values }) => {
    const subscription = subscriptionNamed(sandbox, id);
    const changesMore =
      values.cancel_at_period_end !== undefined ||
      values.cancel_at !== undefined ||
      values.default_payment_method !== undefined;
    if (isOver(subscription) && changesMore) {
      throw notAllowed(
        "A canceled subscription can only update its cancellation_details and metadata.",
        "invalid_canceled_subscription_fields",
      );
    }
    if (values.cancel_at_period_end !== undefined && values.cancel_at !== undefined) {
      throw notAllowed(
        "You may only specify one of these parameters: cancel_at, cancel_at_period_end.",
      );
    }
    const method = values.default_payment_method;
    if (method !== undefined) paymentMethodNamed(sandbox, method, "default_payment_method");
    if (values.cancel_at_period_end !== undefined) {
      setCancelAtPeriodEnd(sandbox, subscription, values.cancel_at_period_end);
    }
    update(sandbox, "customer.subscription.updated", subscription, () => {
      if (values.cancel_at !== undefined) {
        subscription.cancel_at = values.cancel_at;
        subscription.cancel_at_period_end = false;
        subscription.canceled_at = values.cancel_at === null ? null : sandbox.now();
      }
      if (values.description !== undefined) subscription.description = values.description;
      subscription.default_payment_method = method ?? subscription.default_payment_method;
      subscription.metadata = changeMetadata(subscription.metadata, values.metadata);
      noteDetails(subscription, values.cancellation_details);
    });
    return subscription;
  }),
  endpoint("DELETE", "/v1/subscriptions/:id", subscriptionCancel, ({ sandbox, id, values }) => {
    const subscription = subscriptionNamed(sandbox, id);
    // Stripe answers as if a subscription that is over were not there.
    if (isOver(subscription)) throw noSuch("subscription", id);
    noteDetails(subscription, values.cancellation_details);
    endSubscription(sandbox, subscription, "cancellation_requested");
    return subscription;
  }),
  endpoint("GET", "/v1/subscription_items", itemList, (call) => {
    const subscription = subscriptionNamed(call.sandbox, call.values.subscription, "subscription");
    return page(call, "subscription_item", subscription.items.data);
  }),
];
