import type Stripe from "stripe";
import { invalidParameter, invalidRequest } from "../../engine/api-error";
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
  integer,
  metadata,
  oneOf,
  type ParametersOf,
  required,
  text,
} from "../parameters";

const filters = { customer: text() } satisfies ParametersOf<Stripe.SubscriptionListParams>;

const subscriptionUpdate = {
  cancel_at: emptyable(integer(0)),
  cancel_at_period_end: boolean(),
  default_payment_method: emptyable(text()),
  metadata: metadata(),
  pause_collection: emptyable(
    hash({
      behavior: required(oneOf("keep_as_draft", "mark_uncollectible", "void")),
      resumes_at: integer(0),
    } satisfies ParametersOf<Stripe.SubscriptionUpdateParams.PauseCollection>),
  ),
} satisfies ParametersOf<Stripe.SubscriptionUpdateParams>;

// ignored: nothing is metered or prorated here
const subscriptionCancel = {
  invoice_now: boolean(),
  prorate: boolean(),
} satisfies ParametersOf<Stripe.SubscriptionCancelParams>;

/** Subscriptions, each with one item. */
export const subscriptionEndpoints: Endpoint[] = [
  listOf("/v1/subscriptions", "subscriptions", {
    filters,
    parameters: { status: oneOf("all") },
    // without canceled ones by default (docs.stripe.com/api/subscriptions/list)
    matches: (subscription, { status }) => status === "all" || subscription.status !== "canceled",
  }),
  retrieve("/v1/subscriptions/:id", "subscriptions"),
  endpoint("POST", "/v1/subscriptions/:id", subscriptionUpdate, ({ sandbox, id, values }) => {
    const subscription = requireObject(sandbox, "subscriptions", id);
    const { cancel_at, cancel_at_period_end, pause_collection: pause, ...others } = values;
    const method = others.default_payment_method;
    const changesMore = [cancel_at, cancel_at_period_end, pause, method].some(
      (value) => value !== undefined,
    );
    if (isOver(subscription) && changesMore) {
      throw invalidRequest(
        "A canceled subscription can only update its cancellation_details and metadata.",
        "invalid_canceled_subscription_fields",
      );
    }
    if (cancel_at_period_end !== undefined && cancel_at !== undefined) {
      throw invalidRequest(
        "You may only specify one of these parameters: cancel_at, cancel_at_period_end.",
      );
    }
    if (method) {
      requireOwnPaymentMethod(sandbox, method, subscription.customer, "default_payment_method");
    }
    if (cancel_at != null && cancel_at <= sandbox.now()) {
      throw invalidParameter("cancel_at", "`cancel_at` must be in the future.");
    }
    if (pause !== undefined) {
      const { behavior, resumes_at } = pause ?? {};
      pauseCollection(
        sandbox,
        subscription,
        behavior ? { behavior, resumes_at: resumes_at ?? null } : null,
      );
    }
    if (cancel_at_period_end !== undefined) {
      setCancelAt(sandbox, subscription, cancel_at_period_end ? "period_end" : null);
    }
    if (cancel_at !== undefined) setCancelAt(sandbox, subscription, cancel_at);
    changeObject(sandbox, subscription, "customer.subscription.updated", others);
    return subscription;
  }),
  endpoint("DELETE", "/v1/subscriptions/:id", subscriptionCancel, ({ sandbox, id }) => {
    const subscription = requireObject(sandbox, "subscriptions", id);
    // Stripe treats an ended subscription as missing here
    if (isOver(subscription)) throw noSuch("subscriptions", id);
    endSubscription(sandbox, subscription, "cancellation_requested");
    return subscription;
  }),
];
