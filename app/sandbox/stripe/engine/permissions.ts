import { ApiError } from "./api-error";
import type { Collection } from "./objects";

/** What a restricted key may access: the name in Stripe's errors, and the one in its dashboard. */
export const RESOURCES = {
  charge: "Charges and Refunds",
  checkout_session: "Checkout Sessions",
  customer: "Customers",
  customer_portal: "Customer portal",
  dispute: "Disputes",
  event: "Events",
  invoice: "Invoices",
  payment_intent: "Payment Intents",
  payment_method: "Payment Methods",
  plan: "Prices",
  product: "Products",
  subscription: "Subscriptions",
  webhook: "Webhook Endpoints",
} as const;

export type Resource = keyof typeof RESOURCES;

/** A permission of a restricted key, such as `customer_write`. Write access includes read access. */
export type Permission = `${Resource}_${"read" | "write"}`;

const RESOURCE_OF: Record<Collection, Resource> = {
  charges: "charge",
  checkoutSessions: "checkout_session",
  customers: "customer",
  disputes: "dispute",
  events: "event",
  invoices: "invoice",
  invoicePayments: "invoice",
  paymentIntents: "payment_intent",
  paymentMethods: "payment_method",
  portalConfigurations: "customer_portal",
  prices: "plan",
  products: "product",
  refunds: "charge",
  subscriptions: "subscription",
  webhookEndpoints: "webhook",
};

const RESOURCE_AT: Record<string, Resource> = {
  billing_portal: "customer_portal",
  charges: "charge",
  checkout: "checkout_session",
  customers: "customer",
  disputes: "dispute",
  events: "event",
  invoices: "invoice",
  payment_intents: "payment_intent",
  payment_methods: "payment_method",
  prices: "plan",
  products: "product",
  refunds: "charge",
  subscriptions: "subscription",
  webhook_endpoints: "webhook",
};

/** Returns the permission that a request to an endpoint needs, by its method and path. */
export function permissionFor(method: string, pattern: string): Permission {
  const resource = RESOURCE_AT[pattern.split("/")[2] ?? ""];
  if (!resource) throw new Error(`Which permission does ${pattern} need?`);
  return `${resource}_${method === "GET" ? "read" : "write"}`;
}

/** Returns the permission to expand a reference to an object of a collection. */
export function permissionToExpand(collection: Collection): Permission {
  return `${RESOURCE_OF[collection]}_read`;
}

/** Throws Stripe's 403 unless a restricted key's permissions include `wanted`. */
export function requirePermission(
  key: string,
  permissions: readonly Permission[],
  wanted: Permission,
): void {
  const writing = wanted.replace(/_read$/, "_write");
  if (permissions.some((permission) => permission === wanted || permission === writing)) return;
  throw new ApiError(403, {
    type: "invalid_request_error",
    message: `The provided key '${key.slice(0, 8)}*********${key.slice(-4)}' does not have the required permissions for this endpoint on account 'acct_sandbox'. Having the 'rak_${wanted}' permission would allow this request to continue.`,
  });
}

/** Reads a permission as Stripe's dashboard shows it, `Customers: write`; null for any other text. */
export function readPermission(text: string): Permission | null {
  const [label = "", level = ""] = text.split(": ");
  const names = Object.keys(RESOURCES) as Resource[];
  const resource = names.find((name) => RESOURCES[name] === label);
  return resource && (level === "read" || level === "write") ? `${resource}_${level}` : null;
}
