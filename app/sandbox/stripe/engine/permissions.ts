import { ApiError } from "./api-error";

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

/** The resources that are not named like the URL, or the collection, of their objects. */
const OTHER_NAMES: Record<string, Resource> = {
  billing_portal: "customer_portal",
  checkout: "checkout_session",
  invoice_payment: "invoice",
  portal_configuration: "customer_portal",
  price: "plan",
  refund: "charge",
  webhook_endpoint: "webhook",
};

/** Returns the resource for a plural such as `payment_intents` or `paymentIntents`. */
function resourceOf(plural: string): Resource {
  const name = plural.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/s$/, "");
  return OTHER_NAMES[name] ?? (name as Resource);
}

/** Returns the permission that a request to an endpoint needs, by its method and path. */
export function permissionFor(method: string, pattern: string): Permission {
  const resource = resourceOf(pattern.split("/")[2] ?? "");
  return `${resource}_${method === "GET" ? "read" : "write"}`;
}

/** Returns the permission to expand a reference to an object of a collection, such as `paymentIntents`. */
export function permissionToExpand(collection: string): Permission {
  return `${resourceOf(collection)}_read`;
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
