import type Stripe from "stripe";
import { invalidParameter, noSuch, notAllowed } from "./api-errors";
import { type Endpoint, endpoint } from "./endpoint";
import { emit, update } from "./events";
import { newId } from "./ids";
import { page } from "./lists";
import {
  boolean,
  changeMetadata,
  expand,
  hash,
  integer,
  list,
  metadata,
  moment,
  oneOf,
  onlyExpand,
  type ParametersOf,
  paging,
  required,
  text,
  unplayed,
} from "./parameters";
import { productNamed } from "./products";
import type { Sandbox } from "./sandbox";
import type { Plan, Price, Wire } from "./wire";

type PriceDraft = Pick<Price, "product" | "currency" | "unit_amount"> & Partial<Price>;

/** Puts a price in the catalogue; `recurring` makes it one for subscriptions. */
export function addPrice(sandbox: Sandbox, draft: PriceDraft): Price {
  const price: Price = {
    id: newId("price"),
    object: "price",
    active: true,
    billing_scheme: "per_unit",
    created: sandbox.now(),
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: null,
    recurring: null,
    tax_behavior: "unspecified",
    tiers_mode: null,
    transform_quantity: null,
    type: draft.recurring ? "recurring" : "one_time",
    unit_amount_decimal: draft.unit_amount === null ? null : String(draft.unit_amount),
    ...draft,
  } satisfies Wire<Stripe.Price>;
  sandbox.state.prices.set(price.id, price);
  emit(sandbox, "price.created", price);
  return price;
}

/** The recurring part of a price with Stripe's defaults. */
export function recurring(
  interval: Stripe.Price.Recurring.Interval,
  count = 1,
): Price["recurring"] {
  return {
    interval,
    interval_count: count,
    meter: null,
    trial_period_days: null,
    usage_type: "licensed",
  };
}

/** The plan that Stripe still shows beside a recurring price. */
export function planOf(price: Price): Plan {
  return {
    id: price.id,
    object: "plan",
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: "per_unit",
    created: price.created,
    currency: price.currency,
    interval: price.recurring?.interval ?? "month",
    interval_count: price.recurring?.interval_count ?? 1,
    livemode: false,
    metadata: price.metadata,
    meter: null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: "licensed",
  } satisfies Wire<Stripe.Plan>;
}

/** The price, or Stripe's error for an id that names none. */
export function priceNamed(sandbox: Sandbox, id: string, param = "id"): Price {
  const price = sandbox.state.prices.get(id);
  if (!price) throw noSuch("price", id, param);
  return price;
}

const recurringParameters = {
  interval: required(oneOf("day", "month", "week", "year")),
  interval_count: integer(1, 36),
  ...unplayed("meter", "trial_period_days"),
  usage_type: oneOf("licensed"),
} satisfies ParametersOf<Stripe.PriceCreateParams.Recurring>;

const priceCreate = {
  currency: required(text(3)),
  active: boolean(),
  expand,
  lookup_key: text(200),
  metadata: metadata(),
  nickname: text(),
  product: text(),
  recurring: hash(recurringParameters),
  tax_behavior: oneOf("exclusive", "inclusive", "unspecified"),
  transfer_lookup_key: boolean(),
  unit_amount: integer(0, 99_999_999),
  billing_scheme: oneOf("per_unit"),
  ...unplayed(
    "currency_options",
    "custom_unit_amount",
    "product_data",
    "tiers",
    "tiers_mode",
    "transform_quantity",
    "unit_amount_decimal",
  ),
} satisfies ParametersOf<Stripe.PriceCreateParams>;

const priceUpdate = {
  active: boolean(),
  expand,
  lookup_key: text(200),
  metadata: metadata(),
  nickname: text(),
  tax_behavior: oneOf("exclusive", "inclusive", "unspecified"),
  transfer_lookup_key: boolean(),
  ...unplayed("currency_options"),
} satisfies ParametersOf<Stripe.PriceUpdateParams>;

const priceList = {
  ...paging,
  active: boolean(),
  created: moment(),
  currency: text(3),
  lookup_keys: list(text(), 10),
  product: text(),
  type: oneOf("one_time", "recurring"),
  recurring: hash({
    interval: oneOf("day", "month", "week", "year"),
    usage_type: oneOf("licensed", "metered"),
    ...unplayed("meter"),
  } satisfies ParametersOf<Stripe.PriceListParams.Recurring>),
} satisfies ParametersOf<Stripe.PriceListParams>;

/** Gives a lookup key to a price; another price may only lose it when `transfer` is set. */
function claimLookupKey(sandbox: Sandbox, key: string | undefined, transfer: boolean | undefined) {
  if (key === undefined) return;
  for (const price of sandbox.state.prices.values()) {
    if (price.lookup_key !== key) continue;
    if (!transfer) {
      throw notAllowed(
        `A price (\`${price.id}\`) already uses that lookup key.`,
        "resource_already_exists",
      );
    }
    update(sandbox, "price.updated", price, (other) => {
      other.lookup_key = null;
    });
  }
}

export const priceEndpoints: Endpoint[] = [
  endpoint("POST", "/v1/prices", priceCreate, ({ sandbox, values }) => {
    if (values.product === undefined) {
      throw invalidParameter("product", "You must specify `product` to create a price.");
    }
    if (values.unit_amount === undefined) {
      throw invalidParameter("unit_amount", "You must specify `unit_amount` to create a price.");
    }
    if (!/^[a-z]{3}$/.test(values.currency)) {
      throw invalidParameter("currency", `Invalid currency: ${values.currency}.`);
    }
    productNamed(sandbox, values.product, "product");
    claimLookupKey(sandbox, values.lookup_key, values.transfer_lookup_key);
    return addPrice(sandbox, {
      product: values.product,
      currency: values.currency,
      unit_amount: values.unit_amount,
      active: values.active ?? true,
      lookup_key: values.lookup_key ?? null,
      nickname: values.nickname ?? null,
      tax_behavior: values.tax_behavior ?? "unspecified",
      metadata: changeMetadata({}, values.metadata),
      recurring: values.recurring
        ? recurring(values.recurring.interval, values.recurring.interval_count)
        : null,
    });
  }),
  endpoint("GET", "/v1/prices", priceList, (call) => {
    const {
      active,
      created,
      currency,
      lookup_keys,
      product,
      recurring: wanted,
      type,
    } = call.values;
    return page(
      call,
      "price",
      call.sandbox.state.prices.values(),
      (price) =>
        (active === undefined || price.active === active) &&
        (currency === undefined || price.currency === currency) &&
        (product === undefined || price.product === product) &&
        (type === undefined || price.type === type) &&
        (lookup_keys === undefined || lookup_keys.includes(price.lookup_key ?? "")) &&
        (wanted?.interval === undefined || price.recurring?.interval === wanted.interval) &&
        (wanted?.usage_type === undefined || price.recurring?.usage_type === wanted.usage_type) &&
        (created?.(price.created) ?? true),
    );
  }),
  endpoint("GET", "/v1/prices/:id", onlyExpand, ({ sandbox, id }) => priceNamed(sandbox, id)),
  endpoint("POST", "/v1/prices/:id", priceUpdate, ({ sandbox, id, values }) => {
    const price = priceNamed(sandbox, id);
    if (values.lookup_key !== price.lookup_key) {
      claimLookupKey(sandbox, values.lookup_key, values.transfer_lookup_key);
    }
    update(sandbox, "price.updated", price, () => {
      price.active = values.active ?? price.active;
      price.nickname = values.nickname ?? price.nickname;
      price.lookup_key = values.lookup_key ?? price.lookup_key;
      price.tax_behavior = values.tax_behavior ?? price.tax_behavior;
      price.metadata = changeMetadata(price.metadata, values.metadata);
    });
    return price;
  }),
];
