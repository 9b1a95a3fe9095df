import type Stripe from "stripe";
import { invalidParameter } from "../../engine/api-error";
import { addPrice, addProduct, claimLookupKey, recurring } from "../../engine/catalog";
import { requireObject } from "../../engine/objects";
import { change, type Endpoint, endpoint, given, listOf, retrieve } from "../endpoint";
import {
  boolean,
  emptyable,
  hash,
  integer,
  list,
  metadata,
  oneOf,
  type ParametersOf,
  required,
  text,
} from "../parameters";

const productCreate = {
  name: required(text()),
  active: boolean(),
  description: text(),
  id: text(100),
  metadata: metadata(),
} satisfies ParametersOf<Stripe.ProductCreateParams>;

const productUpdate = {
  active: boolean(),
  default_price: text(),
  description: emptyable(text()),
  metadata: metadata(),
  name: text(),
} satisfies ParametersOf<Stripe.ProductUpdateParams>;

const priceCreate = {
  currency: required(text(3)),
  unit_amount: required(integer(0, 99_999_999)),
  active: boolean(),
  lookup_key: text(200),
  metadata: metadata(),
  product: required(text()),
  recurring: hash({
    interval: required(oneOf("day", "month", "week", "year")),
    interval_count: integer(1, 36),
  } satisfies ParametersOf<Stripe.PriceCreateParams.Recurring>),
  transfer_lookup_key: boolean(),
} satisfies ParametersOf<Stripe.PriceCreateParams>;

const priceUpdate = {
  active: boolean(),
  lookup_key: text(200),
  metadata: metadata(),
  transfer_lookup_key: boolean(),
} satisfies ParametersOf<Stripe.PriceUpdateParams>;

const priceFilters = {
  active: boolean(),
  product: text(),
} satisfies ParametersOf<Stripe.PriceListParams>;

/** Products and prices. */
export const catalogEndpoints: Endpoint[] = [
  endpoint("POST", "/v1/products", productCreate, ({ sandbox, values }) => {
    if (values.id !== undefined && sandbox.state.products.has(values.id)) {
      throw invalidParameter("id", "Product already exists.", "resource_already_exists");
    }
    return addProduct(sandbox, given(values));
  }),
  listOf("/v1/products", "products"),
  retrieve("/v1/products/:id", "products"),
  change(
    "/v1/products/:id",
    "products",
    "product.updated",
    productUpdate,
    ({ sandbox, values: { default_price } }) => {
      if (default_price) requireObject(sandbox, "prices", default_price, "default_price");
    },
  ),

  endpoint("POST", "/v1/prices", priceCreate, ({ sandbox, values }) => {
    const { lookup_key, transfer_lookup_key, recurring: interval, ...rest } = given(values);
    if (!/^[a-z]{3}$/.test(values.currency)) {
      throw invalidParameter("currency", `Invalid currency: ${values.currency}.`);
    }
    requireObject(sandbox, "products", values.product, "product");
    claimLookupKey(sandbox, lookup_key, transfer_lookup_key);
    return addPrice(sandbox, {
      ...rest,
      lookup_key: lookup_key ?? null,
      recurring: interval ? recurring(interval.interval, interval.interval_count) : null,
    });
  }),
  listOf("/v1/prices", "prices", {
    filters: priceFilters,
    parameters: { lookup_keys: list(text(), 10) },
    matches: (price, { lookup_keys: keys }) =>
      keys === undefined || keys.includes(price.lookup_key ?? ""),
  }),
  retrieve("/v1/prices/:id", "prices"),
  change("/v1/prices/:id", "prices", "price.updated", priceUpdate, ({ sandbox, values }, price) => {
    if (values.lookup_key === price.lookup_key) return;
    claimLookupKey(sandbox, values.lookup_key, values.transfer_lookup_key);
  }),
];
