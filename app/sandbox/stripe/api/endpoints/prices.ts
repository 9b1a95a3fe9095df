import type Stripe from "stripe";
import { invalidParameter } from "../../engine/api-error";
import { update } from "../../engine/events";
import { addPrice, claimLookupKey, recurring, requirePrice } from "../../engine/prices";
import { requireProduct } from "../../engine/products";
import { type Endpoint, endpoint } from "../endpoint";
import { paginate } from "../pagination";
import {
  boolean,
  changeMetadata,
  expand,
  hash,
  integer,
  list,
  metadata,
  oneOf,
  onlyExpand,
  type ParametersOf,
  paging,
  required,
  text,
  timestampFilter,
  unsupported,
} from "../parameters";

const recurringParameters = {
  interval: required(oneOf("day", "month", "week", "year")),
  interval_count: integer(1, 36),
  ...unsupported("meter", "trial_period_days"),
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
  ...unsupported(
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
  ...unsupported("currency_options"),
} satisfies ParametersOf<Stripe.PriceUpdateParams>;

const priceList = {
  ...paging,
  active: boolean(),
  created: timestampFilter(),
  currency: text(3),
  lookup_keys: list(text(), 10),
  product: text(),
  type: oneOf("one_time", "recurring"),
  recurring: hash({
    interval: oneOf("day", "month", "week", "year"),
    usage_type: oneOf("licensed", "metered"),
    ...unsupported("meter"),
  } satisfies ParametersOf<Stripe.PriceListParams.Recurring>),
} satisfies ParametersOf<Stripe.PriceListParams>;

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
    requireProduct(sandbox, values.product, "product");
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
    return paginate(
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
  endpoint("GET", "/v1/prices/:id", onlyExpand, ({ sandbox, id }) => requirePrice(sandbox, id)),
  endpoint("POST", "/v1/prices/:id", priceUpdate, ({ sandbox, id, values }) => {
    const price = requirePrice(sandbox, id);
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
