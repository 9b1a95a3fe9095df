import type Stripe from "stripe";
import { resourceMissing } from "../../engine/api-error";
import { deleteCustomer } from "../../engine/customer-deletion";
import { addCustomer, isPresent } from "../../engine/customers";
import { update } from "../../engine/events";
import type { Sandbox } from "../../engine/sandbox";
import type { Customer } from "../../engine/wire";
import { type Endpoint, endpoint } from "../endpoint";
import { paginate } from "../pagination";
import {
  changeMetadata,
  email,
  emptyable,
  expand,
  hash,
  ignored,
  list,
  metadata,
  oneOf,
  onlyExpand,
  type ParametersOf,
  paging,
  text,
  timestampFilter,
  unsupported,
} from "../parameters";

const address = hash({
  city: text(),
  country: text(),
  line1: text(),
  line2: text(),
  postal_code: text(),
  state: text(),
});

const customerCreate = {
  address: emptyable(address),
  expand,
  metadata: metadata(),
  description: emptyable(text()),
  email: emptyable(email()),
  name: emptyable(text(256)),
  phone: emptyable(text(20)),
  preferred_locales: list(text(), 10),
  tax_exempt: emptyable(oneOf("exempt", "none", "reverse")),
  ...ignored("invoice_prefix", "next_invoice_sequence", "tax", "validate"),
  ...unsupported(
    "balance",
    "business_name",
    "cash_balance",
    "individual_name",
    "invoice_settings",
    "payment_method",
    "shipping",
    "source",
    "tax_id_data",
    "test_clock",
  ),
} satisfies ParametersOf<Stripe.CustomerCreateParams>;

const customerUpdate = {
  expand,
  metadata: metadata(),
  email: emptyable(email()),
  ...unsupported(
    "address",
    "balance",
    "business_name",
    "cash_balance",
    "default_source",
    "description",
    "individual_name",
    "invoice_prefix",
    "invoice_settings",
    "name",
    "next_invoice_sequence",
    "phone",
    "preferred_locales",
    "shipping",
    "source",
    "tax",
    "tax_exempt",
    "validate",
  ),
} satisfies ParametersOf<Stripe.CustomerUpdateParams>;

const customerList = {
  ...paging,
  created: timestampFilter(),
  email: text(512),
  ...unsupported("test_clock"),
} satisfies ParametersOf<Stripe.CustomerListParams>;

function wholeAddress(
  given: Partial<Record<keyof Stripe.Address, string>> | null | undefined,
): Customer["address"] {
  if (!given) return null;
  const { city, country, line1, line2, postal_code, state } = given;
  return {
    city: city ?? null,
    country: country ?? null,
    line1: line1 ?? null,
    line2: line2 ?? null,
    postal_code: postal_code ?? null,
    state: state ?? null,
  };
}

export const customerEndpoints: Endpoint[] = [
  endpoint("POST", "/v1/customers", customerCreate, ({ sandbox, values }) =>
    addCustomer(sandbox, {
      address: wholeAddress(values.address),
      description: values.description ?? null,
      email: values.email ?? null,
      metadata: changeMetadata({}, values.metadata),
      name: values.name ?? null,
      phone: values.phone ?? null,
      preferred_locales: values.preferred_locales ?? [],
      tax_exempt: values.tax_exempt ?? "none",
    }),
  ),
  endpoint("GET", "/v1/customers", customerList, (call) => {
    const { created, email: address } = call.values;
    return paginate(
      call,
      "customer",
      [...call.sandbox.state.customers.values()].filter(isPresent),
      (customer) =>
        // case-sensitive, as at Stripe
        (address === undefined || customer.email === address) &&
        (created?.(customer.created) ?? true),
    );
  }),
  endpoint("GET", "/v1/customers/:id", onlyExpand, ({ sandbox, id }) => {
    const customer = sandbox.state.customers.get(id);
    if (!customer) throw resourceMissing("customer", id);
    return customer;
  }),
  // (docs.stripe.com/api/customers/update)
  endpoint("POST", "/v1/customers/:id", customerUpdate, ({ sandbox, id, values }) => {
    const customer = requirePresent(sandbox, id);
    const { email: address, metadata: changes } = values;
    update(sandbox, "customer.updated", customer, () => {
      if (address !== undefined) customer.email = address;
      customer.metadata = changeMetadata(customer.metadata, changes);
    });
    return customer;
  }),
  // also ends the subscriptions at once; to Stripe, a deleted customer does not exist here
  // (docs.stripe.com/api/customers/delete)
  endpoint("DELETE", "/v1/customers/:id", {}, ({ sandbox, id }) =>
    deleteCustomer(sandbox, requirePresent(sandbox, id)),
  ),
];

function requirePresent(sandbox: Sandbox, id: string): Customer {
  const customer = sandbox.state.customers.get(id);
  if (!customer || !isPresent(customer)) throw resourceMissing("customer", id);
  return customer;
}
