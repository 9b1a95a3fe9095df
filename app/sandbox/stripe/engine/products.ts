import type Stripe from "stripe";
import { emit } from "./events";
import { newId } from "./ids";
import type { Sandbox } from "./sandbox";
import { nulls, type Product, type Wire } from "./wire";

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
