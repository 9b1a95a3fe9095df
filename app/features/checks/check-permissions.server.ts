import Stripe from "stripe";
import { isInvalidRequest, stripeClient } from "~/features/billing/stripe-client.server";
import { type Answer, ok, problem } from "./answer";
import { STRIPE_ADVICE } from "./stripe-advice";

/**
 * A call for each permission in docs/going-live.md, whether or not there is a member yet. None changes anything: a
 * write names an object that does not exist, which Stripe rejects only once it has accepted the key.
 */
const PROBES: Record<string, (stripe: Stripe) => Promise<unknown>> = {
  "Customers: write": ({ customers }) => customers.update("cus_none", {}),
  "Checkout Sessions: write": ({ checkout }) => checkout.sessions.expire("cs_none"),
  "Customer portal: write": ({ billingPortal }) =>
    billingPortal.configurations.update("bpc_none", {}),
  "Subscriptions: write": ({ subscriptions }) => subscriptions.update("sub_none", {}),
  "Invoices: write": ({ invoices }) => invoices.update("in_none", {}),
  "Charges and Refunds: read": ({ charges }) => charges.retrieve("ch_none"),
  "Payment Intents: read": ({ paymentIntents }) => paymentIntents.retrieve("pi_none"),
  "Payment Methods: read": ({ paymentMethods }) => paymentMethods.retrieve("pm_none"),
  "Disputes: read": ({ disputes }) => disputes.list({ limit: 1 }),
  "Products: read": ({ products }) => products.retrieve("prod_none"),
  "Prices: read": ({ prices }) => prices.retrieve("price_none"),
  "Events: read": ({ events }) => events.list({ limit: 1 }),
  "Webhook Endpoints: read": ({ webhookEndpoints }) => webhookEndpoints.list({ limit: 1 }),
};

/** Checks that a restricted key has each permission that the site needs. Throws Stripe's other errors. */
export async function checkPermissions(): Promise<Answer[]> {
  const what = "Permissions";
  const missing: string[] = [];
  for (const [permission, probe] of Object.entries(PROBES)) {
    try {
      await probe(stripeClient());
    } catch (error) {
      if (error instanceof Stripe.errors.StripePermissionError) missing.push(permission);
      else if (!isInvalidRequest(error)) throw error;
    }
  }
  if (missing.length === 0) return [ok(what, "the key has all that the site needs")];
  return [problem(what, `the key lacks ${missing.join(", ")}`, STRIPE_ADVICE.givePermission)];
}
