import type Stripe from "stripe";
import { emit } from "./events";
import { noSuch, requireObject } from "./objects";
import type { Sandbox } from "./sandbox";
import { type Customer, type DeletedCustomer, newId, nulls, type Wire } from "./wire";

/** Creates a customer. */
export function addCustomer(sandbox: Sandbox, draft: Partial<Customer>): Customer {
  const customer: Customer = {
    id: newId("cus", 14),
    object: "customer",
    ...nulls(
      "address currency customer_account default_source description discount email name phone",
      "shipping test_clock",
    ),
    balance: 0,
    created: sandbox.now(),
    delinquent: false,
    invoice_prefix: newId("x", 8).slice(2).toUpperCase(),
    invoice_settings: nulls("custom_fields default_payment_method footer rendering_options"),
    livemode: false,
    metadata: {},
    next_invoice_sequence: 1,
    preferred_locales: [],
    tax_exempt: "none",
    ...draft,
  } satisfies Wire<Stripe.Customer>;
  sandbox.state.customers.set(customer.id, customer);
  emit(sandbox, "customer.created", customer);
  return customer;
}

/** Removes a customer and everything that belongs to it, without an event, as if the keys were another account's. */
export function forgetCustomer(sandbox: Sandbox, id: string): void {
  for (const part of Object.values(sandbox.state)) {
    if (!(part instanceof Map)) continue;
    for (const [key, kept] of part as Map<string, { customer?: unknown }>) {
      if (kept.customer === id) part.delete(key);
    }
  }
  sandbox.state.customers.delete(id);
  sandbox.changed();
}

/** Whether a customer exists and is not deleted. */
export function isPresent(customer: Customer | DeletedCustomer | undefined): customer is Customer {
  return customer !== undefined && customer.deleted !== true;
}

/** Returns the customer, or throws Stripe's error for an unknown or deleted one. */
export function requireCustomer(sandbox: Sandbox, id: string, param?: string): Customer {
  const customer = sandbox.state.customers.get(id);
  if (!isPresent(customer)) throw noSuch("customers", id, param);
  return customer;
}

/** Checks a list's customer filter. Throws Stripe's error unless a given id is a customer's, deleted or not. */
export function checkCustomerFilter(sandbox: Sandbox, id: unknown): void {
  if (typeof id === "string") requireObject(sandbox, "customers", id, "customer");
}

/** Whether Stripe accepts a text as an email address. Its domain needs a top-level domain. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@([\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]{2,}$/u.test(text);
}
