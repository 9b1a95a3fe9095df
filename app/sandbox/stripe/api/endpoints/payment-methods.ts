import type Stripe from "stripe";
import { checkCustomerFilter, customerNamed } from "../../engine/customers";
import { paymentMethodNamed } from "../../engine/payment-methods";
import { type Endpoint, endpoint } from "../endpoint";
import { page } from "../pagination";
import { oneOf, onlyExpand, type ParametersOf, paging, text, unplayed } from "../parameters";

const methodList = {
  ...paging,
  customer: text(),
  type: oneOf("card", "us_bank_account"),
  ...unplayed("allow_redisplay", "customer_account"),
} satisfies ParametersOf<Stripe.PaymentMethodListParams>;

const customerMethodList = {
  ...paging,
  type: oneOf("card", "us_bank_account"),
  ...unplayed("allow_redisplay"),
} satisfies ParametersOf<Stripe.CustomerListPaymentMethodsParams>;

export const paymentMethodEndpoints: Endpoint[] = [
  endpoint("GET", "/v1/payment_methods", methodList, (call) => {
    const { customer, type } = call.values;
    checkCustomerFilter(call.sandbox, customer);
    return page(
      call,
      "PaymentMethod",
      call.sandbox.state.paymentMethods.values(),
      (method) =>
        method.customer !== null &&
        (customer === undefined || method.customer === customer) &&
        (type === undefined || method.type === type),
    );
  }),
  endpoint("GET", "/v1/customers/:id/payment_methods", customerMethodList, (call) => {
    const customer = customerNamed(call.sandbox, call.id);
    return page(
      call,
      "PaymentMethod",
      call.sandbox.state.paymentMethods.values(),
      (method) =>
        method.customer === customer.id &&
        (call.values.type === undefined || method.type === call.values.type),
    );
  }),
  endpoint("GET", "/v1/payment_methods/:id", onlyExpand, ({ sandbox, id }) =>
    paymentMethodNamed(sandbox, id),
  ),
];
