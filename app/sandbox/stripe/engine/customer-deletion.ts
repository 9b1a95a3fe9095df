import type Stripe from "stripe";
import { emit } from "./events";
import type { Sandbox } from "./sandbox";
import { endSubscription } from "./subscription-end";
import { isOver } from "./subscriptions";
import type { Customer, DeletedCustomer, Wire } from "./wire";

/** Deletes a customer: its subscriptions end immediately and its payment methods are detached. */
export function deleteCustomer(sandbox: Sandbox, customer: Customer): DeletedCustomer {
  for (const subscription of sandbox.state.subscriptions.values()) {
    if (subscription.customer !== customer.id || isOver(subscription)) continue;
    endSubscription(sandbox, subscription, "cancellation_requested");
  }
  for (const method of sandbox.state.paymentMethods.values()) {
    if (method.customer === customer.id) method.customer = null;
  }
  const deleted = { id: customer.id, object: "customer", deleted: true } as const;
  emit(sandbox, "customer.deleted", customer);
  sandbox.state.customers.set(customer.id, deleted);
  sandbox.changed();
  return deleted satisfies Wire<Stripe.DeletedCustomer>;
}
