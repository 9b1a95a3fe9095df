import type Stripe from "stripe";
import { invalidParameter, resourceMissing } from "../../engine/api-error";
import { update } from "../../engine/events";
import { addProduct, requireProduct } from "../../engine/products";
import { type Endpoint, endpoint } from "../endpoint";
import { paginate } from "../pagination";
import {
  boolean,
  changeMetadata,
  emptyable,
  expand,
  ignored,
  list,
  metadata,
  onlyExpand,
  type ParametersOf,
  paging,
  required,
  text,
  timestampFilter,
  unsupported,
} from "../parameters";

const productCreate = {
  name: required(text()),
  active: boolean(),
  description: text(),
  expand,
  id: text(100),
  metadata: metadata(),
  statement_descriptor: text(22),
  unit_label: text(12),
  url: text(),
  images: list(text(), 8),
  ...ignored("marketing_features", "shippable", "tax_code", "tax_details", "type"),
  ...unsupported("default_price_data", "package_dimensions"),
} satisfies ParametersOf<Stripe.ProductCreateParams>;

const productUpdate = {
  active: boolean(),
  default_price: text(),
  description: emptyable(text()),
  expand,
  metadata: metadata(),
  name: text(),
  statement_descriptor: text(22),
  unit_label: emptyable(text(12)),
  url: emptyable(text()),
  images: emptyable(list(text(), 8)),
  ...ignored("marketing_features", "shippable", "tax_code", "tax_details"),
  ...unsupported("package_dimensions"),
} satisfies ParametersOf<Stripe.ProductUpdateParams>;

const productList = {
  ...paging,
  active: boolean(),
  created: timestampFilter(),
  ids: list(text()),
  ...unsupported("shippable", "type", "url"),
} satisfies ParametersOf<Stripe.ProductListParams>;

export const productEndpoints: Endpoint[] = [
  endpoint("POST", "/v1/products", productCreate, ({ sandbox, values }) => {
    const { id, images, metadata: meta, name, expand: _expand, ...rest } = values;
    if (id !== undefined && sandbox.state.products.has(id)) {
      throw invalidParameter("id", "Product already exists.", "resource_already_exists");
    }
    return addProduct(sandbox, {
      name,
      ...(id === undefined ? {} : { id }),
      active: rest.active ?? true,
      description: rest.description ?? null,
      statement_descriptor: rest.statement_descriptor ?? null,
      unit_label: rest.unit_label ?? null,
      url: rest.url ?? null,
      images: images ?? [],
      metadata: changeMetadata({}, meta),
    });
  }),
  endpoint("GET", "/v1/products", productList, (call) => {
    const { active, created, ids } = call.values;
    return paginate(
      call,
      "product",
      call.sandbox.state.products.values(),
      (product) =>
        (active === undefined || product.active === active) &&
        (ids === undefined || ids.includes(product.id)) &&
        (created?.(product.created) ?? true),
    );
  }),
  endpoint("GET", "/v1/products/:id", onlyExpand, ({ sandbox, id }) => requireProduct(sandbox, id)),
  endpoint("POST", "/v1/products/:id", productUpdate, ({ sandbox, id, values }) => {
    const product = requireProduct(sandbox, id);
    const price = values.default_price;
    if (price !== undefined && !sandbox.state.prices.has(price)) {
      throw resourceMissing("price", price, "default_price");
    }
    update(sandbox, "product.updated", product, () => {
      product.active = values.active ?? product.active;
      product.name = values.name ?? product.name;
      product.default_price = values.default_price ?? product.default_price;
      if (values.description !== undefined) product.description = values.description;
      if (values.url !== undefined) product.url = values.url;
      if (values.unit_label !== undefined) product.unit_label = values.unit_label;
      if (values.images !== undefined) product.images = values.images ?? [];
      product.statement_descriptor = values.statement_descriptor ?? product.statement_descriptor;
      product.metadata = changeMetadata(product.metadata, values.metadata);
    });
    return product;
  }),
];
