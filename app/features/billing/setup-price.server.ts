import type Stripe from "stripe";
import { env } from "~/env.server";
import { PREMIUM_PRICE, type RecurringPrice } from "~/features/membership/premium-price";
import { readAmount, writeAmount } from "~/features/membership/price-amount";
import { currentSite } from "~/features/site/current-site.server";
import { OperatorError } from "~db/operator-error";
import { productOf, SETUP_METADATA, toStripePrice } from "./premium-product.server";
import type { SetupStep } from "./setup-step";
import { isMissingAtStripe, stripeClient } from "./stripe-client.server";

/** Lookup key of the price to sell, whatever its id. A new price takes it over. */
const PRICE_LOOKUP_KEY = "golden_path_premium_monthly";

/** The price options as typed by the author. An omitted one keeps the value of the price on sale. */
export type PriceOptions = { amount?: string; currency?: string; interval?: string };

/** A fixed amount and its billing period. */
type Terms = RecurringPrice & { unitAmount: number };

/**
 * Finds or creates the price to sell and returns its id. Without options that is the price on sale, or $9.99 a month
 * if there is none. A new price belongs to the same product, so subscribers at the old price stay members; the old
 * price stays active. Throws OperatorError for invalid options.
 */
export async function setUpPrice(options: PriceOptions, steps: SetupStep[]): Promise<string> {
  const onSale = await findPriceOnSale();
  const terms = termsOf(options, onSale);
  const productId = await setUpProduct(onSale, steps);
  const found =
    onSale?.active && matches(onSale, terms)
      ? onSale
      : await findPrice(productId, terms ?? PREMIUM_PRICE);
  if (found) {
    const { amount, currency, interval } = options;
    const isAsked = (amount ?? currency ?? interval) !== undefined;
    // A run without options must not undo an earlier choice that is not configured yet.
    const isNamed =
      found.lookup_key === PRICE_LOOKUP_KEY || (!isAsked && (await findChosen()) !== null);
    if (!isNamed) {
      await stripeClient().prices.update(found.id, {
        lookup_key: PRICE_LOOKUP_KEY,
        transfer_lookup_key: true,
      });
    }
    steps.push({ what: "price", id: found.id, outcome: isNamed ? "found" : "updated" });
    return found.id;
  }
  const { unitAmount, currency, interval, intervalCount } = terms ?? PREMIUM_PRICE;
  const price = await stripeClient().prices.create({
    product: productId,
    unit_amount: unitAmount,
    currency,
    recurring: {
      interval: interval as Stripe.PriceCreateParams.Recurring.Interval,
      interval_count: intervalCount,
    },
    lookup_key: PRICE_LOOKUP_KEY,
    transfer_lookup_key: true,
    metadata: SETUP_METADATA,
  });
  steps.push({ what: "price", id: price.id, outcome: "created" });
  return price.id;
}

/** Describes a price: "12.50 eur a month". */
export function describePrice({
  unitAmount,
  currency,
  interval,
  intervalCount,
}: RecurringPrice): string {
  const amount = unitAmount === null ? "no plain amount" : writeAmount(unitAmount, currency);
  const period = intervalCount === 1 ? `a ${interval}` : `every ${intervalCount} ${interval}s`;
  return `${amount} ${currency} ${period}`;
}

/**
 * Returns the price the site sells: the configured one, unless it belongs to another account or mode or is inactive;
 * otherwise the one setup last chose. Keeps an inactive configured one if setup chose none, or one of another
 * product.
 */
async function findPriceOnSale(): Promise<Stripe.Price | null> {
  const { priceId } = env().STRIPE_KNOWN;
  const configured = priceId ? await findConfigured(priceId) : null;
  if (configured?.active) return configured;
  const chosen = await findChosen();
  const isOther = configured && chosen && productOf(configured) !== productOf(chosen);
  return chosen && !isOther ? chosen : configured;
}

/** Returns the price an earlier run chose. */
async function findChosen(): Promise<Stripe.Price | null> {
  const { data } = await stripeClient().prices.list({ lookup_keys: [PRICE_LOOKUP_KEY], limit: 1 });
  return data[0] ?? null;
}

async function findConfigured(priceId: string): Promise<Stripe.Price | null> {
  try {
    return await stripeClient().prices.retrieve(priceId);
  } catch (error) {
    if (isMissingAtStripe(error)) return null;
    throw error;
  }
}

/** Returns the requested terms; null to keep a price on sale without a fixed amount. */
function termsOf(options: PriceOptions, onSale: Stripe.Price | null): Terms | null {
  const { amount, currency, interval } = options;
  const { unitAmount, ...present }: RecurringPrice = onSale ? toStripePrice(onSale) : PREMIUM_PRICE;
  if (amount === undefined) {
    if (currency !== undefined) {
      throw new OperatorError("--currency: wanted --amount beside it, such as --amount 12.50.");
    }
    if (unitAmount === null) {
      if (interval === undefined) return null;
      throw new OperatorError("--interval: wanted --amount beside it, such as --amount 12.50.");
    }
    return { ...present, ...periodOf(interval), unitAmount };
  }
  const code = currency?.toLowerCase() ?? present.currency;
  if (!/^[a-z]{3}$/.test(code)) {
    throw new OperatorError("--currency: wanted a code of three letters, such as eur.");
  }
  const read = readAmount(amount, code);
  if ("wanted" in read) throw new OperatorError(`--amount: wanted ${read.wanted}.`);
  return { ...present, ...periodOf(interval), currency: code, unitAmount: read.unitAmount };
}

function periodOf(interval: string | undefined): Pick<Terms, "interval" | "intervalCount"> | null {
  if (interval === undefined) return null;
  if (interval !== "month" && interval !== "year") {
    throw new OperatorError("--interval: wanted 'month' or 'year'.");
  }
  return { interval, intervalCount: 1 };
}

/** Finds or creates the product, and marks it as ours and active: the one on sale, an earlier run's, or a new one. */
async function setUpProduct(onSale: Stripe.Price | null, steps: SetupStep[]): Promise<string> {
  const found = onSale
    ? await stripeClient().products.retrieve(productOf(onSale))
    : await findOwnProduct();
  if (!found) {
    const product = await stripeClient().products.create({
      name: `${currentSite().title} Premium`,
      description: `Membership of ${currentSite().title}, cancel anytime.`,
      metadata: SETUP_METADATA,
    });
    steps.push({ what: "product", id: product.id, outcome: "created" });
    return product.id;
  }
  if (!found.active || found.metadata.app !== SETUP_METADATA.app) {
    await stripeClient().products.update(found.id, { active: true, metadata: SETUP_METADATA });
    steps.push({ what: "product", id: found.id, outcome: "updated" });
  }
  return found.id;
}

/** Returns the product of an interrupted run, or one without prices; prefers an active one. */
async function findOwnProduct(): Promise<Stripe.Product | null> {
  let found: Stripe.Product | null = null;
  for await (const product of stripeClient().products.list({ limit: 100 })) {
    if (product.metadata.app !== SETUP_METADATA.app) continue;
    if (product.active) return product;
    found ??= product;
  }
  return found;
}

async function findPrice(productId: string, terms: Terms): Promise<Stripe.Price | null> {
  const prices = stripeClient().prices.list({ product: productId, active: true, limit: 100 });
  for await (const price of prices) {
    if (matches(price, terms)) return price;
  }
  return null;
}

/** Returns whether a price has these terms; null matches any. */
function matches(price: Stripe.Price, terms: Terms | null): boolean {
  const { unitAmount, currency, interval, intervalCount } = toStripePrice(price);
  return (
    terms === null ||
    (price.recurring?.usage_type === "licensed" &&
      unitAmount === terms.unitAmount &&
      currency === terms.currency &&
      interval === terms.interval &&
      intervalCount === terms.intervalCount)
  );
}
