import Stripe from "stripe";
import { env } from "~/env.server";
import { isLiveKey } from "~/environment/stripe-key";
import { findKnownProducts } from "~db/queries/billing-examination";
import type { Finding } from "./doctor-finding";
import { findPortalConfiguration } from "./portal.server";
import { premiumProducts, toStripePrice } from "./premium-product.server";
import { portalProblems } from "./setup-portal.server";
import { describePrice } from "./setup-price.server";
import { isMissingAtStripe, requireStripe, stripeClient } from "./stripe-client.server";
import { paymentPageOrigins } from "./stripe-origins.server";

/** Key and mode. */
export async function checkKey(): Promise<Finding[]> {
  const { secretKey, publishableKey } = requireStripe();
  const mode = isLiveKey(secretKey) ? "live" : "test";
  try {
    await stripeClient().prices.list({ limit: 1 });
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeAuthenticationError)) throw error;
    // its message quotes the end of the key
    const found = "Stripe does not accept it";
    return [{ ok: false, what: "Key", found, advice: "checkKey" }];
  }
  return [
    { ok: true, what: "Key", found: `accepted by Stripe, ${mode} mode` },
    // a key of the other mode would have failed at startup
    { ok: true, what: "Publishable key", found: publishableKey ? `${mode} mode too` : "not set" },
  ];
}

/** Checks that the price on sale exists in this account and mode, is active and is recurring. */
export async function checkPrice(): Promise<Finding[]> {
  const { priceId } = requireStripe();
  const what = "Price";
  try {
    const price = await stripeClient().prices.retrieve(priceId, { expand: ["product"] });
    const { product } = price;
    const problems = [
      ...(price.active ? [] : ["not active, so nobody can buy"]),
      ...(price.recurring ? [] : ["not recurring, so nobody can subscribe"]),
      ...(typeof product === "object" && !product.deleted && !product.active
        ? ["its product is not active, so nobody can buy"]
        : []),
    ];
    const found = [`${priceId}, ${describePrice(toStripePrice(price))}`, ...problems].join("; ");
    return problems.length > 0
      ? [{ ok: false, what, found, advice: "setUpAndSet" }]
      : [{ ok: true, what, found }];
  } catch (error) {
    if (!isMissingAtStripe(error)) throw error;
    const found = `${priceId} does not exist in this account and mode: ${(error as Error).message}`;
    return [{ ok: false, what, found, advice: "checkKey" }];
  }
}

/** Finds products that were sold before and are no longer recognized, so that their payers are not members. */
export async function checkProducts(): Promise<Finding[]> {
  const what = "Product";
  const ours = await premiumProducts();
  const unrecognized: string[] = [];
  for (const id of await findKnownProducts()) {
    if (!ours.has(id) && (await exists(id))) unrecognized.push(id);
  }
  if (unrecognized.length === 0) return [{ ok: true, what, found: [...ours].join(", ") }];
  return unrecognized.map((id) => ({
    ok: false,
    what,
    found: `${id} was sold before; those who still pay for it are no longer members`,
    advice: "markProduct" as const,
  }));
}

/** A product of another account or mode has no members in this one. */
async function exists(productId: string): Promise<boolean> {
  try {
    await stripeClient().products.retrieve(productId);
    return true;
  } catch (error) {
    if (isMissingAtStripe(error)) return false;
    throw error;
  }
}

/** Checks what members can do in the portal, and where it returns them to. */
export async function checkPortal(): Promise<Finding[]> {
  const what = "Portal configuration";
  const configuration = await findPortalConfiguration();
  // The sandbox's portal needs no configuration.
  if (env().SANDBOX && !configuration) return [{ ok: true, what, found: "the sandbox's own" }];
  if (!configuration) return [{ ok: false, what, found: "none for this site", advice: "setUp" }];
  const problems = portalProblems(configuration);
  const found = [configuration.id, ...problems].join("; ");
  return problems.length > 0
    ? [{ ok: false, what, found, advice: "setUp" }]
    : [{ ok: true, what, found }];
}

/** Checks that the settings name the domain of Stripe's pages, as seen on an open checkout. */
export async function checkDomain(): Promise<Finding[]> {
  const what = "Domain of Stripe's pages";
  const { data } = await stripeClient().checkout.sessions.list({ status: "open", limit: 10 });
  const origins = new Set(data.flatMap(({ url }) => (url ? new URL(url).origin : [])));
  const unnamed = [...origins].filter((origin) => !paymentPageOrigins().includes(origin));
  if (unnamed.length === 0) {
    return [
      { ok: true, what, found: [...origins].join(", ") || "unknown while no checkout is open" },
    ];
  }
  return [
    {
      ok: false,
      what,
      found: `${unnamed.map((origin) => new URL(origin).host).join(", ")}, which the settings do not name`,
      advice: "nameDomain",
    },
  ];
}
