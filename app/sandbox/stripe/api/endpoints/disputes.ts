import type Stripe from "stripe";
import { type Endpoint, endpoint } from "../endpoint";
import { paginate } from "../pagination";
import { type ParametersOf, paging, text, timestampFilter } from "../parameters";

const disputeList = {
  ...paging,
  charge: text(),
  created: timestampFilter(),
  payment_intent: text(),
} satisfies ParametersOf<Stripe.DisputeListParams>;

export const disputeEndpoints: Endpoint[] = [
  endpoint("GET", "/v1/disputes", disputeList, (call) => {
    const { charge, created, payment_intent } = call.values;
    return paginate(
      call,
      "dispute",
      call.sandbox.state.disputes.values(),
      (dispute) =>
        (charge === undefined || dispute.charge === charge) &&
        (payment_intent === undefined || dispute.payment_intent === payment_intent) &&
        (created?.(dispute.created) ?? true),
    );
  }),
];
