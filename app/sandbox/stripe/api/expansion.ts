import { invalidParameter } from "../engine/api-error";
import { sessionLineItems } from "../engine/checkout-sessions";
import type { Collection } from "../engine/objects";
import { type Permission, permissionToExpand } from "../engine/permissions";
import type { Sandbox } from "../engine/sandbox";
import { wholeList } from "../engine/wire";

type Json = Record<string, unknown>;
/** The expandable references of each kind of object. */
const REFERENCES: Record<string, Record<string, Collection>> = {
  charge: { customer: "customers", payment_intent: "paymentIntents" },
  "checkout.session": {
    customer: "customers",
    invoice: "invoices",
    payment_intent: "paymentIntents",
    subscription: "subscriptions",
  },
  customer: { "invoice_settings.default_payment_method": "paymentMethods" },
  dispute: { charge: "charges", payment_intent: "paymentIntents" },
  invoice: {
    customer: "customers",
    default_payment_method: "paymentMethods",
    "parent.subscription_details.subscription": "subscriptions",
  },
  invoice_payment: {
    invoice: "invoices",
    "payment.charge": "charges",
    "payment.payment_intent": "paymentIntents",
  },
  line_item: { subscription: "subscriptions", "pricing.price_details.price": "prices" },
  payment_intent: {
    customer: "customers",
    latest_charge: "charges",
    payment_method: "paymentMethods",
  },
  payment_method: { customer: "customers" },
  plan: { product: "products" },
  price: { product: "products" },
  product: { default_price: "prices" },
  refund: { charge: "charges", payment_intent: "paymentIntents" },
  subscription: {
    customer: "customers",
    default_payment_method: "paymentMethods",
    latest_invoice: "invoices",
  },
  "billing_portal.session": { configuration: "portalConfigurations" },
};

/** Properties that are present only when expanded. */
const INCLUSIONS: Record<string, (sandbox: Sandbox, id: string) => object> = {
  "checkout.session.line_items": (sandbox, id) => sessionLineItems(sandbox, id),
  "customer.subscriptions": (sandbox, id) =>
    wholeList(
      `/v1/customers/${id}/subscriptions`,
      [...sandbox.state.subscriptions.values()]
        .filter(({ customer, status }) => customer === id && status !== "canceled")
        .reverse(),
    ),
  "charge.refunds": (sandbox, id) =>
    wholeList(
      `/v1/charges/${id}/refunds`,
      [...sandbox.state.refunds.values()].filter(({ charge }) => charge === id).reverse(),
    ),
  "invoice.payments": (sandbox, id) =>
    wholeList(
      "/v1/invoice_payments",
      [...sandbox.state.invoicePayments.values()].filter(({ invoice }) => invoice === id),
    ),
};

/** The permissions needed for an inclusion that holds objects of another kind than its owner. */
const INCLUSION_PERMISSIONS: Record<string, Permission[]> = {
  "customer.subscriptions": ["subscription_read"],
  // each names the payment intent that pays
  "invoice.payments": ["payment_intent_read"],
};

/** Maximum depth of a path, including the `data` of a list (docs.stripe.com/api/expanding_objects). */
const MAX_LEVELS = 4;

/**
 * Copies a response with the references at `paths` expanded. `allow` throws if the key lacks a permission; it is asked
 * only for what is there to expand. Throws Stripe's error for a property that cannot be expanded and for paths of more
 * than four properties.
 */
export function expandReferences(
  sandbox: Sandbox,
  answer: object,
  paths: string[],
  allow: (permission: Permission) => void,
): object {
  if (paths.length === 0) return answer;
  const copy = structuredClone(answer);
  for (const path of paths) {
    const names = path.split(".");
    if (names.length > MAX_LEVELS) {
      throw invalidParameter("expand", "You cannot expand more than 4 levels of a property.");
    }
    expandPath(sandbox, copy as Json, names, allow);
  }
  return copy;
}

function expandPath(
  sandbox: Sandbox,
  root: Json,
  names: string[],
  allow: (permission: Permission) => void,
): void {
  const path = names.join(".").slice(0, 100);
  const notExpandable = () =>
    invalidParameter("expand", `This property cannot be expanded (${path}).`);

  const walk = (node: unknown, owner: Owner, rest: string[]): void => {
    if (Array.isArray(node)) {
      for (const item of node) walk(item, owner, rest);
      return;
    }
    const [name, ...further] = rest;
    if (name === undefined || node === null || node === undefined) return;
    if (typeof node !== "object") throw notExpandable();
    const json = node as Json;
    if (json.deleted === true) return;
    if (json.object === "list") {
      if (name !== "data") throw notExpandable();
      walk(json.data, owner, further);
      return;
    }
    const isObject = typeof json.object === "string";
    const here: Owner = isObject
      ? { kind: String(json.object), trail: name }
      : { kind: owner.kind, trail: `${owner.trail}.${name}` };
    const collection = REFERENCES[here.kind]?.[here.trail];
    const include = INCLUSIONS[`${here.kind}.${here.trail}`];
    const reference = json[name];
    if (collection !== undefined) {
      if (typeof reference === "string") {
        allow(permissionToExpand(collection));
        json[name] = structuredClone(sandbox.state[collection].get(reference) ?? reference);
      }
    } else if (include !== undefined) {
      for (const permission of INCLUSION_PERMISSIONS[`${here.kind}.${here.trail}`] ?? []) {
        allow(permission);
      }
      json[name] ??= structuredClone(include(sandbox, String(json.id)));
    } else if (further.length === 0 || typeof reference !== "object") {
      throw notExpandable();
    }
    walk(json[name], here, further);
  };

  walk(root, { kind: "", trail: "" }, names);
}

/** A position in the walk: the kind of the enclosing object, and the path from there. */
type Owner = { kind: string; trail: string };
