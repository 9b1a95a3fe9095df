import type Stripe from "stripe";
import { invalidRequest } from "../../engine/api-error";
import { noSuch, requireObject } from "../../engine/objects";
import { requireOwnPaymentMethod } from "../../engine/payment-methods";
import { endSubscription, setCancelAt } from "../../engine/subscription-end";
import { pauseCollection } from "../../engine/subscription-lifecycle";
import { isOver } from "../../engine/subscriptions";
import { changeObject, type Endpoint, endpoint, listOf, retrieve } from "../endpoint";
import {
  boolean,
  emptyable,
  hash,
  metadata,
  oneOf,
  type ParametersOf,
  required,
  text,
} from "../parameters";

const filters = {
  customer: text(),
} satisfies ParametersOf<Stripe.SubscriptionListParams>;

const subscriptionUpdate = {
  cancel_at_period_end: boolean(),
  default_payment_method: emptyable(text()),
  metadata: metadata(),
  pause_collection: emptyable(
    hash({
      behavior: required(oneOf("keep_as_draft", "mark_uncollectible", "void")),
    } satisfies ParametersOf<Stripe.SubscriptionUpdateParams.PauseCollection>),
  ),
} satisfies ParametersOf<Stripe.SubscriptionUpdateParams>;

// these make no difference: nothing is metered or prorated here
const subscriptionCancel = {
  invoice_now: boolean(),
  prorate: boolean(),
} satisfies ParametersOf<Stripe.SubscriptionCancelParams>;

/** Subscriptions, of one item each. */
export const subscriptionEndpoints: Endpoint[] = [
  listOf("/v1/subscriptions", "subscriptions", {
    filters,
    parameters: { status: oneOf("all") },
    // one that expired incomplete is not canceled, so it is listed (docs.stripe.com/api/subscriptions/list)
    matches: (subscription, { status }) => status === "all" || subscription.status !== "canceled",
  }),
  retrieve("/v1/subscriptions/:id", "subscriptions"),
  endpoint("POST", "/v1/subscriptions/:id", subscriptionUpdate, ({ sandbox, id, values }) => {
    const subscription = requireObject(sandbox, "subscriptions", id);
    const { cancel_at_period_end, pause_collection: pause, ...others } = values;
    const method = others.default_payment_method;
    const changesMore = [cancel_at_period_end, pause, method].some((value) => value !== undefined);
    if (isOver(subscription) && changesMore) {
      throw invalidRequest(
        "A canceled subscription can only update its cancellation_details and metadata.",
        "invalid_canceled_subscription_fields",
      );
    }
    if (method) {
      requireOwnPaymentMethod(sandbox, method, subscription.customer, "default_payment_method");
    }
    if (pause !== undefined) {
      pauseCollection(sandbox, subscription, pause && { ...pause, resumes_at: null });
    }
    if (cancel_at_period_end !== undefined) {
      setCancelAt(sandbox, subscription, cancel_at_period_end ? "period_end" : null);
    }
    changeObject(sandbox, subscription, "customer.subscription.updated", others);
    return subscription;
  }),
  endpoint("DELETE", "/v1/subscriptions/:id", subscriptionCancel, ({ sandbox, id }) => {
    const subscription = requireObject(sandbox, "subscriptions", id);
    // to Stripe, a subscription that has ended does not exist here
    if (isOver(subscription)) throw noSuch("subscriptions", id);
    endSubscription(sandbox, subscription, "cancellation_requested");
    return subscription;
  }),
];
