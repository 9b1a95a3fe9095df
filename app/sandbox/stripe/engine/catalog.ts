import type Stripe from "stripe";
import { invalidRequest } from "./api-error";
import { emit, update } from "./events";
import type { Sandbox } from "./sandbox";
import { newId, nulls, type Plan, type Price, type Product, pick, type Wire } from "./wire";

type PriceDraft = Pick<Price, "product" | "currency" | "unit_amount"> & Partial<Price>;

/** Creates a price, for subscriptions if it has `recurring`. */
export function addPrice(sandbox: Sandbox, draft: PriceDraft): Price {
  const price: Price = {
    id: newId("price"),
    object: "price",
    ...nulls("custom_unit_amount lookup_key nickname recurring tiers_mode transform_quantity"),
    active: true,
    billing_scheme: "per_unit",
    created: sandbox.now(),
    livemode: false,
    metadata: {},
    tax_behavior: "unspecified",
    type: draft.recurring ? "recurring" : "one_time",
    unit_amount_decimal: draft.unit_amount === null ? null : String(draft.unit_amount),
    ...draft,
  } satisfies Wire<Stripe.Price>;
  sandbox.state.prices.set(price.id, price);
  emit(sandbox, "price.created", price);
  return price;
}

/** Returns the recurring part of a price with Stripe's defaults. */
export function recurring(
  interval: Stripe.Price.Recurring.Interval,
  count = 1,
): Price["recurring"] {
  const empty = nulls("meter trial_period_days");
  return { ...empty, interval, interval_count: count, usage_type: "licensed" };
}

/** Returns the legacy plan object that Stripe still includes with a recurring price. */
export function planOf(price: Price): Plan {
  return {
    id: price.id,
    object: "plan",
    ...nulls("meter tiers_mode transform_usage trial_period_days"),
    ...pick(price, "active billing_scheme created currency livemode metadata nickname product"),
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    interval: price.recurring?.interval ?? "month",
    interval_count: price.recurring?.interval_count ?? 1,
    usage_type: "licensed",
  } satisfies Wire<Stripe.Plan>;
}

/** Frees a lookup key for a price. Throws if another price has it, unless `transfer` is set. */
export function claimLookupKey(
  sandbox: Sandbox,
  key: string | undefined,
  transfer: boolean | undefined,
): void {
  if (key === undefined) return;
  for (const price of sandbox.state.prices.values()) {
    if (price.lookup_key !== key) continue;
    if (!transfer) {
      throw invalidRequest(
        `A price (\`${price.id}\`) already uses that lookup key.`,
        "resource_already_exists",
      );
    }
    update(sandbox, "price.updated", price, { lookup_key: null });
  }
}

type ProductDraft = Pick<Product, "name"> & Partial<Product>;

/** Creates a product. */
export function addProduct(sandbox: Sandbox, draft: ProductDraft): Product {
  const now = sandbox.now();
  const product: Product = {
    id: newId("prod", 14),
    object: "product",
    ...nulls(
      "default_price description package_dimensions shippable statement_descriptor tax_code",
      "tax_details unit_label url",
    ),
    active: true,
    created: now,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: {},
    type: "service",
    updated: now,
    ...draft,
  } satisfies Wire<Stripe.Product>;
  sandbox.state.products.set(product.id, product);
  emit(sandbox, "product.created", product);
  return product;
}
