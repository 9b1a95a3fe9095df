import { addPrice, addProduct, recurring } from "./catalog";
import { addEndpoint } from "./deliveries";
import { addConfiguration, DEFAULT_FEATURES } from "./portal";
import { API_VERSION, type Sandbox } from "./sandbox";

/** The local Stripe's initial price. */
export type SeedPrice = {
  id: string;
  productId: string;
  unitAmount: 999;
  currency: "usd";
  interval: "month";
};

const SITE_ENDPOINT = "we_goldenPathSandbox";
const DEFAULT_CONFIGURATION = "bpc_goldenPathSandbox";

/** Creates the product, price and default portal configuration if missing. */
export function seedCatalog(sandbox: Sandbox, catalog: SeedPrice): void {
  const { products, prices, portalConfigurations } = sandbox.state;
  if (!products.has(catalog.productId)) {
    addProduct(sandbox, {
      id: catalog.productId,
      name: "Premium",
      description: "Full chapter access and exclusive content.",
      default_price: catalog.id,
    });
  }
  if (!prices.has(catalog.id)) {
    addPrice(sandbox, {
      id: catalog.id,
      product: catalog.productId,
      currency: catalog.currency,
      unit_amount: catalog.unitAmount,
      recurring: recurring(catalog.interval),
    });
  }
  if (!portalConfigurations.has(DEFAULT_CONFIGURATION)) {
    addConfiguration(sandbox, (fresh) => ({
      ...fresh,
      id: DEFAULT_CONFIGURATION,
      is_default: true,
      features: structuredClone(DEFAULT_FEATURES),
    }));
  }
}

/** Creates, updates or, without a URL, removes the site's own webhook endpoint. */
export function seedWebhookEndpoint(
  sandbox: Sandbox,
  site: { url: string | null; secret: string; events: string[] },
): void {
  const { webhookEndpoints } = sandbox.state;
  if (site.url === null) {
    if (webhookEndpoints.delete(SITE_ENDPOINT)) sandbox.changed();
    return;
  }
  const current = {
    url: site.url,
    secret: site.secret,
    api_version: API_VERSION,
    enabled_events: site.events,
  };
  const kept = webhookEndpoints.get(SITE_ENDPOINT);
  // an older state file may have other events and another API version
  if (kept) Object.assign(kept, current);
  else {
    const description = "The site that this sandbox came with";
    addEndpoint(sandbox, { id: SITE_ENDPOINT, description, ...current });
  }
  sandbox.changed();
}
