import type Stripe from "stripe";
import { invalidParameter, invalidRequest, resourceMissing } from "../../engine/api-error";
import { checkCustomerFilter } from "../../engine/customers";
import { update } from "../../engine/events";
import { requireOwnPaymentMethod } from "../../engine/payment-methods";
import { requirePrice } from "../../engine/prices";
import type { Sandbox } from "../../engine/sandbox";
import { endSubscription, setCancelAt, setCancelAtPeriodEnd } from "../../engine/subscription-end";
import { changePrice, pauseCollection } from "../../engine/subscription-lifecycle";
import { intervalOf, isOver, itemOf, requireSubscription } from "../../engine/subscriptions";
import type { Price, Subscription } from "../../engine/wire";
import { type Endpoint, endpoint } from "../endpoint";
import { paginate } from "../pagination";
import {
  boolean,
  changeMetadata,
  emptyable,
  expand,
  hash,
  integer,
  list,
  metadata,
  oneOf,
  onlyExpand,
  type ParametersOf,
  paging,
  required,
  text,
  timestampFilter,
  unsupported,
} from "../parameters";

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
  ...unsupported("feedback_option"),
} satisfies ParametersOf<Stripe.SubscriptionCancelParams.CancellationDetails>);

const subscriptionList = {
  ...paging,
  collection_method: oneOf("charge_automatically", "send_invoice"),
  created: timestampFilter(),
  current_period_end: timestampFilter(),
  current_period_start: timestampFilter(),
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
  ...unsupported("automatic_tax", "customer_account", "plan", "test_clock"),
} satisfies ParametersOf<Stripe.SubscriptionListParams>;

const item = hash({
  id: text(),
  price: text(),
  quantity: integer(1, 999_999),
  ...unsupported(
    "billing_thresholds",
    "clear_usage",
    "current_trial",
    "deleted",
    "discounts",
    "metadata",
    "plan",
    "price_data",
    "tax_rates",
  ),
} satisfies ParametersOf<Stripe.SubscriptionUpdateParams.Item>);

const pauseBehavior = hash({
  behavior: required(oneOf("keep_as_draft", "mark_uncollectible", "void")),
  resumes_at: integer(0),
} satisfies ParametersOf<Stripe.SubscriptionUpdateParams.PauseCollection>);

const subscriptionUpdate = {
  cancel_at: emptyable(integer(0)),
  cancel_at_period_end: boolean(),
  cancellation_details: cancellationDetails,
  default_payment_method: emptyable(text()),
  description: emptyable(text(500)),
  expand,
  items: list(item, 20),
  metadata: metadata(),
  pause_collection: emptyable(pauseBehavior),
  proration_behavior: oneOf("always_invoice", "create_prorations", "none"),
  ...unsupported(
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
    "off_session",
    "on_behalf_of",
    "payment_behavior",
    "payment_settings",
    "pending_invoice_item_interval",
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
  // these make no difference: nothing is metered or prorated here
  invoice_now: boolean(),
  prorate: boolean(),
} satisfies ParametersOf<Stripe.SubscriptionCancelParams>;

function hasStatus(subscription: Subscription, wanted: string | undefined): boolean {
  if (wanted === "all") return true;
  if (wanted === "ended") return isOver(subscription);
  // one that expired incomplete is not canceled, so it is listed (docs.stripe.com/api/subscriptions/list)
  return wanted === undefined ? subscription.status !== "canceled" : subscription.status === wanted;
}

type ItemChange = { id?: string; price?: string; quantity?: number };

/** The price that an update changes to, checked: for the one item, and with the same interval. */
function wantedPrice(
  sandbox: Sandbox,
  subscription: Subscription,
  items: ItemChange[] | undefined,
  proration: string | undefined,
): Price | null {
  if (items === undefined) return null;
  const [change, ...others] = items;
  const present = itemOf(subscription);
  if (!change || others.length > 0 || change.id === undefined || change.quantity !== undefined) {
    throw invalidParameter(
      "items",
      "The local Stripe sandbox supports subscriptions with one item, of which only the price can change.",
    );
  }
  if (change.id !== present.id)
    throw resourceMissing("subscription item", change.id, "items[0][id]");
  if (change.price === undefined || change.price === present.price.id) return null;
  const price = requirePrice(sandbox, change.price, "items[0][price]");
  const [now, then] = [intervalOf(present.price), intervalOf(price)];
  const isAsOften = now.interval === then.interval && now.interval_count === then.interval_count;
  if (proration !== "none" || !isAsOften || price.currency !== present.price.currency) {
    throw invalidParameter(
      "proration_behavior",
      "The local Stripe sandbox supports changes to a price of the same interval and currency only, with `proration_behavior` 'none'.",
    );
  }
  return price;
}

type Details = { comment?: string | null; feedback?: string | null };

function recordCancellationDetails(subscription: Subscription, given: Details | undefined): void {
  const details = subscription.cancellation_details;
  if (!details || !given) return;
  if (given.comment !== undefined) details.comment = given.comment;
  if (given.feedback !== undefined) details.feedback = given.feedback;
}

export const subscriptionEndpoints: Endpoint[] = [
  endpoint("GET", "/v1/subscriptions", subscriptionList, (call) => {
    const { values, sandbox } = call;
    checkCustomerFilter(sandbox, values.customer);
    return paginate(call, "subscription", sandbox.state.subscriptions.values(), (subscription) => {
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
    requireSubscription(sandbox, id),
  ),
  endpoint("POST", "/v1/subscriptions/:id", subscriptionUpdate, ({ sandbox, id, values }) => {
    const subscription = requireSubscription(sandbox, id);
    const changesMore =
      values.cancel_at_period_end !== undefined ||
      values.cancel_at !== undefined ||
      values.items !== undefined ||
      values.pause_collection !== undefined ||
      values.default_payment_method !== undefined;
    if (isOver(subscription) && changesMore) {
      throw invalidRequest(
        "A canceled subscription can only update its cancellation_details and metadata.",
        "invalid_canceled_subscription_fields",
      );
    }
    if (values.cancel_at_period_end !== undefined && values.cancel_at !== undefined) {
      throw invalidRequest(
        "You may only specify one of these parameters: cancel_at, cancel_at_period_end.",
      );
    }
    const method = values.default_payment_method;
    if (method) {
      requireOwnPaymentMethod(sandbox, method, subscription.customer, "default_payment_method");
    }
    if (values.cancel_at != null && values.cancel_at <= sandbox.now()) {
      throw invalidParameter("cancel_at", "`cancel_at` must be in the future.");
    }
    const price = wantedPrice(sandbox, subscription, values.items, values.proration_behavior);
    if (price) changePrice(sandbox, subscription, price);
    if (values.pause_collection !== undefined) {
      const pause = values.pause_collection;
      pauseCollection(
        sandbox,
        subscription,
        pause && { behavior: pause.behavior, resumes_at: pause.resumes_at ?? null },
      );
    }
    if (values.cancel_at_period_end !== undefined) {
      setCancelAtPeriodEnd(sandbox, subscription, values.cancel_at_period_end);
    }
    if (values.cancel_at !== undefined) setCancelAt(sandbox, subscription, values.cancel_at);
    update(sandbox, "customer.subscription.updated", subscription, () => {
      if (values.description !== undefined) subscription.description = values.description;
      if (method !== undefined) subscription.default_payment_method = method;
      subscription.metadata = changeMetadata(subscription.metadata, values.metadata);
      recordCancellationDetails(subscription, values.cancellation_details);
    });
    return subscription;
  }),
  endpoint("DELETE", "/v1/subscriptions/:id", subscriptionCancel, ({ sandbox, id, values }) => {
    const subscription = requireSubscription(sandbox, id);
    // to Stripe, a subscription that has ended does not exist here
    if (isOver(subscription)) throw resourceMissing("subscription", id);
    recordCancellationDetails(subscription, values.cancellation_details);
    endSubscription(sandbox, subscription, "cancellation_requested");
    return subscription;
  }),
];
