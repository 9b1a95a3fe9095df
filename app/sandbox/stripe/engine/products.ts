import type Stripe from "stripe";
import { resourceMissing } from "./api-error";
import { emit } from "./events";
import { newId } from "./ids";
import type { Sandbox } from "./sandbox";
import type { Product, Wire } from "./wire";

type ProductDraft = Pick<Product, "name"> & Partial<Product>;

/** Creates a product. */
export function addProduct(sandbox: Sandbox, draft: ProductDraft): Product {
  const now = sandbox.now();
  const product: Product = {
    id: newId("prod", 14),
    object: "product",
    active: true,
    created: now,
    default_price: null,
    description: null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: {},
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: "service",
    unit_label: null,
    updated: now,
    url: null,
    ...draft,
  } satisfies Wire<Stripe.Product>;
  sandbox.state.products.set(product.id, product);
  emit(sandbox, "product.created", product);
  return product;
}

/** The product, or Stripe's error for an id that names none. */
export function requireProduct(sandbox: Sandbox, id: string, param = "id"): Product {
  const product = sandbox.state.products.get(id);
  if (!product) throw resourceMissing("product", id, param);
  return product;
}
