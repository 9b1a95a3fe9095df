import type Stripe from "stripe";

export type CancellationReason = Stripe.Subscription.CancellationDetails.Feedback;

/** The reasons that the portal offers to members who cancel, all that Stripe has, as the figures name them. */
export const CANCELLATION_REASONS: Record<CancellationReason, string> = {
  too_expensive: "too expensive",
  missing_features: "something is missing",
  switched_service: "chose another one",
  unused: "not used enough",
  customer_service: "customer service",
  too_complex: "too complicated",
  low_quality: "quality",
  other: "another reason",
};
