import type Stripe from "stripe";
import { checkCustomerFilter } from "../../engine/customers";
import { requireCharge } from "../../engine/payments";
import { type Endpoint, endpoint } from "../endpoint";
import { paginate } from "../pagination";
import {
  onlyExpand,
  type ParametersOf,
  paging,
  text,
  timestampFilter,
  unsupported,
} from "../parameters";

const chargeList = {
  ...paging,
  created: timestampFilter(),
  customer: text(),
  payment_intent: text(),
  ...unsupported("transfer_group"),
} satisfies ParametersOf<Stripe.ChargeListParams>;

export const chargeEndpoints: Endpoint[] = [
  endpoint("GET", "/v1/charges", chargeList, (call) => {
    const { created, customer, payment_intent } = call.values;
    checkCustomerFilter(call.sandbox, customer);
    return paginate(
      call,
      "charge",
      call.sandbox.state.charges.values(),
      (charge) =>
        (customer === undefined || charge.customer === customer) &&
        (payment_intent === undefined || charge.payment_intent === payment_intent) &&
        (created?.(charge.created) ?? true),
    );
  }),
  endpoint("GET", "/v1/charges/:id", onlyExpand, ({ sandbox, id }) => requireCharge(sandbox, id)),
];
