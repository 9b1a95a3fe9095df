import type Stripe from "stripe";
import { env } from "~/env.server";
import { PREMIUM_PRICE, type RecurringPrice } from "~/features/membership/premium-price";
import { readAmount, writeAmount } from "~/features/membership/price-amount";
import { currentSite } from "~/features/site/current-site.server";
import { OperatorError } from "~db/operator-error";
import { findKnownProducts } from "~db/queries/billing-examination";
import { productOf, SETUP_METADATA, toStripePrice } from "./premium-product.server";
import type { SetupStep } from "./setup-step";
import { isMissingAtStripe, stripeClient } from "./stripe-client.server";
import { isMarked, isOurs, SITE_KEY, type SiteMark, siteMark } from "./stripe-site.server";

/** Returns the lookup key of the price this site sells, whatever its id. A new price takes it over. */
const lookupKeyOf = (mark: SiteMark) => `golden_path_premium_${mark[SITE_KEY]}`;

/** The price options as typed by the author. An omitted one keeps the value of the price on sale. */
export type PriceOptions = {
  amount?: string;
  currency?: string;
  interval?: string;
  /** Puts the product back on sale, if the author has archived it. */
  unarchive?: boolean;
};

/** A fixed amount and its billing period. */
type Terms = RecurringPrice & { unitAmount: number };

/**
 * Finds or creates the price to sell and returns its id. Without options that is the price on sale, or $9.99 a month
 * if there is none. A new price belongs to the same product, so subscribers at the old price stay members; the old
 * price stays active. Throws OperatorError for invalid options.
 */
export async function setUpPrice(options: PriceOptions, steps: SetupStep[]): Promise<string> {
  const mark = await siteMark();
  const lookupKey = lookupKeyOf(mark);
  const metadata = { ...SETUP_METADATA, ...mark };
  const onSale = await findPriceOnSale(mark);
  const terms = termsOf(options, onSale);
  const productId = await setUpProduct(onSale, mark, options, steps);
  const found =
    onSale?.active && matches(onSale, terms)
      ? onSale
      : await findPrice(productId, mark, terms ?? PREMIUM_PRICE);
  if (found) {
    const { amount, currency, interval } = options;
    const isAsked = (amount ?? currency ?? interval) !== undefined;
    // A run without options must not undo an earlier choice that is not configured yet.
    const isNamed =
      found.lookup_key === lookupKey || (!isAsked && (await findChosen(lookupKey)) !== null);
    const isRight = isNamed && isMarked(found.metadata);
    if (!isRight) {
      await stripeClient().prices.update(found.id, {
        metadata,
        ...(isNamed ? {} : { lookup_key: lookupKey, transfer_lookup_key: true }),
      });
    }
    steps.push({ what: "price", id: found.id, outcome: isRight ? "found" : "updated" });
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
    lookup_key: lookupKey,
    transfer_lookup_key: true,
    metadata,
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
 * product. A configured one that another site has marked, as in copied settings, does not count.
 */
async function findPriceOnSale(mark: SiteMark): Promise<Stripe.Price | null> {
  const { priceId } = env().STRIPE_KNOWN;
  const known = priceId ? await findConfigured(priceId) : null;
  const configured = known && isOurs(known.metadata, mark, { named: true }) ? known : null;
  if (configured?.active) return configured;
  const chosen = await findChosen(lookupKeyOf(mark));
  const isOther = configured && chosen && productOf(configured) !== productOf(chosen);
  return chosen && !isOther ? chosen : configured;
}

/** Returns the price an earlier run chose. */
async function findChosen(lookupKey: string): Promise<Stripe.Price | null> {
  const { data } = await stripeClient().prices.list({ lookup_keys: [lookupKey], limit: 1 });
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

/**
 * Finds or creates the product, and marks it as ours: the one on sale, an earlier run's, or a new one. An archived one
 * stays archived unless the author asks; another site's, whose price the settings name, stays as it is.
 */
async function setUpProduct(
  onSale: Stripe.Price | null,
  mark: SiteMark,
  { unarchive = false }: PriceOptions,
  steps: SetupStep[],
): Promise<string> {
  const metadata = { ...SETUP_METADATA, ...mark };
  const found = onSale
    ? await stripeClient().products.retrieve(productOf(onSale))
    : await findOwnProduct(mark);
  if (!found) {
    const product = await stripeClient().products.create({
      name: `${currentSite().title} Premium`,
      description: `Membership of ${currentSite().title}, cancel anytime.`,
      metadata,
    });
    steps.push({ what: "product", id: product.id, outcome: "created" });
    return product.id;
  }
  const isArchived = !found.active && !unarchive;
  const isMissingMark = found.metadata.app !== SETUP_METADATA.app || !isMarked(found.metadata);
  const isOwn = isOurs(found.metadata, mark, { named: true });
  if (isOwn && (isMissingMark || (unarchive && !found.active))) {
    await stripeClient().products.update(found.id, {
      metadata,
      ...(unarchive ? { active: true } : {}),
    });
    steps.push({ what: "product", id: found.id, outcome: "updated" });
  }
  if (isArchived) steps.push({ what: "product", id: found.id, outcome: "archived" });
  return found.id;
}

/** Returns the product of an interrupted run, or one without prices; prefers an active one. */
async function findOwnProduct(mark: SiteMark): Promise<Stripe.Product | null> {
  const known = await findKnownProducts();
  let found: Stripe.Product | null = null;
  for await (const product of stripeClient().products.list({ limit: 100 })) {
    const { id, metadata } = product;
    if (metadata.app !== SETUP_METADATA.app) continue;
    if (!isOurs(metadata, mark, { named: known.includes(id) })) continue;
    if (product.active) return product;
    found ??= product;
  }
  return found;
}

async function findPrice(
  productId: string,
  mark: SiteMark,
  terms: Terms,
): Promise<Stripe.Price | null> {
  const prices = stripeClient().prices.list({ product: productId, active: true, limit: 100 });
  for await (const price of prices) {
    if (matches(price, terms) && isOurs(price.metadata, mark, { named: true })) return price;
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
