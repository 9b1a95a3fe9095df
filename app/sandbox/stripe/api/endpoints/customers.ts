import type Stripe from "stripe";
import { deleteCustomer } from "../../engine/customer-deletion";
import { addCustomer, isPresent, requireCustomer } from "../../engine/customers";
import { change, type Endpoint, endpoint, given, listOf, retrieve } from "../endpoint";
import {
  email,
  emptyable,
  metadata,
  type ParametersOf,
  text,
  timestampFilter,
} from "../parameters";

const customerCreate = {
  email: emptyable(email()),
  metadata: metadata(),
  name: emptyable(text(256)),
} satisfies ParametersOf<Stripe.CustomerCreateParams>;

const customerUpdate = {
  email: emptyable(email()),
  metadata: metadata(),
} satisfies ParametersOf<Stripe.CustomerUpdateParams>;

const filters = {
  created: timestampFilter(),
  // case-sensitive, as at Stripe
  email: text(512),
} satisfies ParametersOf<Stripe.CustomerListParams>;

/** Customers. As at Stripe, a deleted one can only be retrieved. */
export const customerEndpoints: Endpoint[] = [
  endpoint("POST", "/v1/customers", customerCreate, ({ sandbox, values }) =>
    addCustomer(sandbox, given(values)),
  ),
  listOf("/v1/customers", "customers", { filters, matches: isPresent }),
  retrieve("/v1/customers/:id", "customers"),
  // refuses a deleted customer (docs.stripe.com/api/customers/update)
  change("/v1/customers/:id", "customers", "customer.updated", customerUpdate, (call) =>
    requireCustomer(call.sandbox, call.id),
  ),
  // also ends the subscriptions immediately (docs.stripe.com/api/customers/delete)
  endpoint("DELETE", "/v1/customers/:id", {}, ({ sandbox, id }) =>
    deleteCustomer(sandbox, requireCustomer(sandbox, id)),
  ),
];
