import type Stripe from "stripe";
import type { NextPayment } from "~/features/membership/next-payment";
import { log } from "~/observability/log.server";
import type { StripePrice } from "~db/schema";
import {
  chargesOf,
  coverageOf,
  type DisputedPayment,
  type FullRefund,
  fullRefundOf,
  hasPendingDebit,
  idOf,
  isPaidSince,
  type Payments,
  paymentsOf,
  settlesPeriod,
  withFreeTime,
} from "./coverage";
import { findOpenInvoice } from "./open-invoice";
import { premiumProducts, productOf, toStripePrice } from "./premium-product.server";
import { isMissingAtStripe, stripeClient } from "./stripe-client.server";
import { isOurs, SITE_KEY, siteMark } from "./stripe-site.server";
import {
  type BillingState,
  billingStateOf,
  countedMembership,
  givesAccess,
  isOver,
  type Membership,
  NO_PAYMENT,
  nextChargeOf,
} from "./subscription-state";

/** Stripe has no such customer of this site in this account and mode: the key or the database is the wrong one. */
export class UnknownCustomer extends Error {
  override name = "UnknownCustomer";
  constructor(
    readonly stripeCustomerId: string,
    /** The id of the other site that the customer's membership is marked as sold by. */
    readonly soldBy?: string,
  ) {
    super(
      soldBy
        ? `Customer ${stripeCustomerId} belongs to another site in this Stripe account: run 'stripe doctor'.`
        : `Stripe does not know customer ${stripeCustomerId} in this account and mode: is STRIPE_SECRET_KEY that of the account and mode it was made in?`,
    );
  }
}

const DAY = 24 * 60 * 60;

/**
 * How far back charges are listed, in seconds: a year's membership and its grace period, or a longer period and as much.
 * Older charges do not matter, and there may be thousands.
 */
const CHARGES_WINDOW = { year: 400 * DAY, beyondPeriod: 30 * DAY };

/** A payment that its holder has to confirm at Stripe's page for the invoice, as a bank may demand. */
export type Confirmation = { url: string; paymentMethod: string | null };

/** A membership, live or ended, with its payments' disputes and refund and the invoices that were read. */
export type ExaminedMembership = Membership & {
  disputes: DisputedPayment[];
  invoices: Stripe.Invoice[];
  /** The full refund of its last payment. */
  refund: FullRefund | null;
  /** Of its open invoice. */
  confirmation: Confirmation | null;
};

/** A customer's billing state at Stripe. */
export type CustomerBilling = {
  state: BillingState;
  memberships: ExaminedMembership[];
  /** The price of the membership in `state`, and its next charge. */
  price: StripePrice | null;
  nextPayment: NextPayment;
  /** The customer's payment methods that have failed. */
  failedPaymentMethods: ReadonlySet<string>;
  /** Whether the customer was deleted at Stripe, which ended all its subscriptions. */
  isDeleted: boolean;
  /** Whether a bank payment is pending, which takes days. */
  isPaymentPending: boolean;
};

/**
 * Fetches a customer's memberships from Stripe: only subscriptions to our products, since the author may sell others
 * to the same customer. Makes two concurrent calls besides the cached products; only an unpaid period or a disputed
 * payment needs more. Throws UnknownCustomer, PaymentsNotConfigured and Stripe's errors.
 */
export async function fetchBilling(stripeCustomerId: string): Promise<CustomerBilling> {
  try {
    const since = Math.floor(Date.now() / 1_000) - CHARGES_WINDOW.year;
    const [mark, products, subscriptions, recent] = await Promise.all([
      siteMark(),
      premiumProducts(),
      listSubscriptions(stripeCustomerId),
      listCharges(stripeCustomerId, { gte: since }),
    ]);
    // a row names the customer, so whatever it has without a mark is this site's
    const foreign = subscriptions.find(
      (subscription) =>
        membershipItem(subscription, products) &&
        !isOurs(subscription.metadata, mark, { named: true }),
    );
    if (foreign) throw new UnknownCustomer(stripeCustomerId, foreign.metadata[SITE_KEY]);
    const longest = Math.max(0, ...subscriptions.map((one) => longestPeriod(one, products)));
    const older = longest + CHARGES_WINDOW.beyondPeriod - CHARGES_WINDOW.year;
    const charges =
      older > 0
        ? recent.concat(await listCharges(stripeCustomerId, { gte: since - older, lt: since }))
        : recent;
    const examined = subscriptions.flatMap((subscription) => {
      const item = membershipItem(subscription, products);
      return item ? [examine(subscription, item, charges, products)] : [];
    });
    const memberships = await Promise.all(examined);
    const state = billingStateOf(memberships);
    const counted = countedMembership(memberships, state);
    const price = counted ? toStripePrice(counted.item.price) : null;
    const nextPayment = counted ? await previewPayment(counted) : NO_PAYMENT;
    const failed = charges.filter(({ status }) => status === "failed");
    const failedPaymentMethods = new Set(failed.flatMap((charge) => charge.payment_method ?? []));
    const isPaymentPending = charges.some(({ status }) => status === "pending");
    const isDeleted = subscriptions.some(
      ({ customer }) => typeof customer === "object" && customer.deleted === true,
    );
    return {
      state,
      memberships,
      price,
      nextPayment,
      failedPaymentMethods,
      isPaymentPending,
      isDeleted,
    };
  } catch (error) {
    if (!isMissingAtStripe(error, "customer")) throw error;
    const customer = await customerState(stripeCustomerId);
    if (customer === "unknown") throw new UnknownCustomer(stripeCustomerId);
    if (customer === "there") throw error;
    // deleted, with all subscriptions
    return {
      state: billingStateOf([]),
      memberships: [],
      price: null,
      nextPayment: NO_PAYMENT,
      failedPaymentMethods: new Set(),
      isPaymentPending: false,
      isDeleted: true,
    };
  }
}

/** Returns a customer's live subscriptions to our products; any of them prevents a new checkout. */
export async function listLiveMemberships(
  stripeCustomerId: string,
): Promise<Stripe.Subscription[]> {
  const [products, subscriptions] = await Promise.all([
    premiumProducts(),
    listSubscriptions(stripeCustomerId),
  ]);
  return subscriptions.filter(
    (subscription) => !isOver(subscription) && membershipItem(subscription, products),
  );
}

/** Returns the item that makes a subscription a membership; undefined if there is none. */
export function membershipItem(
  { items }: Stripe.Subscription,
  products: ReadonlySet<string>,
): Stripe.SubscriptionItem | undefined {
  return items.data.find(({ price }) => products.has(productOf(price)));
}

/** Returns the length of a live membership's period, in seconds; 0 for anything else. */
function longestPeriod(subscription: Stripe.Subscription, products: ReadonlySet<string>): number {
  const item = isOver(subscription) ? undefined : membershipItem(subscription, products);
  return item ? item.current_period_end - item.current_period_start : 0;
}

/**
 * Returns whether a customer that a row names exists at Stripe, was deleted, or is unknown in this account and mode.
 * Another site's counts as unknown, so it is left alone.
 */
export async function customerState(
  stripeCustomerId: string,
): Promise<"there" | "deleted" | "unknown"> {
  try {
    const customer = await stripeClient().customers.retrieve(stripeCustomerId);
    if (customer.deleted) return "deleted";
    return isOurs(customer.metadata, await siteMark(), { named: true }) ? "there" : "unknown";
  } catch (error) {
    if (isMissingAtStripe(error)) return "unknown";
    throw error;
  }
}

async function examine(
  subscription: Stripe.Subscription,
  item: Stripe.SubscriptionItem,
  charges: readonly Stripe.Charge[],
  products: ReadonlySet<string>,
): Promise<ExaminedMembership> {
  const payments = paymentsOf(charges);
  const { latest_invoice: latest } = subscription;
  if (isOver(subscription)) {
    const invoices = latest && typeof latest !== "string" ? [latest] : [];
    const refund = fullRefundOf(invoices, payments, products);
    const coverage = { paidUntil: null, revoked: null };
    const nothing = { disputes: [], confirmation: null };
    return { subscription, item, invoices, refund, coverage, ...nothing };
  }
  const newest = latest && typeof latest !== "string" ? await withAllLines(latest) : null;
  const disputed = charges.filter(({ disputed }) => disputed);
  const isPlain =
    disputed.length === 0 &&
    subscription.status !== "past_due" &&
    (!givesAccess(subscription) || settlesPeriod(newest, item, products));
  const invoices = isPlain ? (newest ? [newest] : []) : await listInvoices(subscription.id);
  const disputes = await disputesOf(invoices, payments);
  const unsettled = disputes.filter((dispute) => !isPaidSince(dispute, invoices));
  const coverage = coverageOf(invoices, payments, products, unsettled);
  return {
    subscription,
    item,
    disputes,
    invoices,
    refund: fullRefundOf(invoices, payments, products),
    coverage: {
      ...withFreeTime(coverage, subscription, item),
      isDebitPending: hasPendingDebit(newest, charges),
    },
    confirmation: await confirmationOf(findOpenInvoice({ invoices, subscription })),
  };
}

/** Reads whether the payment of an open invoice waits for its holder, who was not there when it renewed. */
async function confirmationOf(invoice: Stripe.Invoice | null): Promise<Confirmation | null> {
  const url = invoice?.hosted_invoice_url;
  const open = invoice?.payments?.data.find(({ status }) => status === "open");
  const intent = idOf(open?.payment.payment_intent);
  if (!url || !intent) return null;
  const {
    status,
    payment_method,
    last_payment_error: error,
  } = await stripeClient().paymentIntents.retrieve(intent);
  const isDemanded = [error?.code, error?.decline_code].includes("authentication_required");
  if (status !== "requires_action" && !isDemanded) return null;
  return { url, paymentMethod: idOf(payment_method) ?? error?.payment_method?.id ?? null };
}

/** Returns the disputes of the charges that paid a subscription's invoices. */
async function disputesOf(
  invoices: readonly Stripe.Invoice[],
  payments: Payments,
): Promise<DisputedPayment[]> {
  const charges = new Set(
    invoices
      .flatMap((invoice) => chargesOf(invoice, payments))
      .filter(({ disputed }) => disputed)
      .map(({ id }) => id),
  );
  const found = await Promise.all(
    [...charges].map(async (charge) => {
      const { data } = await stripeClient().disputes.list({ charge, limit: 100 });
      return data.map((dispute) => ({ dispute, chargeId: charge }));
    }),
  );
  return found.flat();
}

async function listSubscriptions(customer: string): Promise<Stripe.Subscription[]> {
  return all(
    stripeClient().subscriptions.list({
      customer,
      status: "all",
      limit: 100,
      expand: ["data.latest_invoice.payments", "data.customer"],
    }),
  );
}

async function listCharges(
  customer: string,
  created: Stripe.RangeQueryParam,
): Promise<Stripe.Charge[]> {
  const { charges } = stripeClient();
  return all(charges.list({ customer, created, limit: 100, expand: ["data.refunds"] }));
}

async function listInvoices(subscription: string): Promise<Stripe.Invoice[]> {
  const { invoices } = stripeClient();
  const found = await all(invoices.list({ subscription, limit: 100, expand: ["data.payments"] }));
  return Promise.all(found.map(withAllLines));
}

/**
 * Fetches an invoice's remaining lines, since Stripe returns only the first ones
 * (https://docs.stripe.com/api/invoices/invoice_lines). If the author added many charges, the paid period may be on a
 * later line.
 */
async function withAllLines(invoice: Stripe.Invoice): Promise<Stripe.Invoice> {
  if (!invoice.lines.has_more) return invoice;
  const data = await all(stripeClient().invoices.listLineItems(invoice.id, { limit: 100 }));
  return { ...invoice, lines: { ...invoice.lines, data, has_more: false } };
}

async function all<Item>(pages: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of pages) items.push(item);
  return items;
}

/**
 * Asks Stripe what a membership costs next, with taxes, discounts and credits
 * (https://docs.stripe.com/api/invoices/create_preview). Without its answer the amount stays unknown, since access
 * matters more.
 */
async function previewPayment(membership: Membership): Promise<NextPayment> {
  const at = nextChargeOf(membership);
  if (at === null) return NO_PAYMENT;
  const nextPaymentAt = new Date(at * 1_000);
  const { id: subscription } = membership.subscription;
  try {
    const { amount_due, currency } = await stripeClient().invoices.createPreview({ subscription });
    return { nextPaymentAt, nextPaymentAmount: amount_due, nextPaymentCurrency: currency };
  } catch (error) {
    log().warn({ subscription, err: error }, "Stripe did not say what a membership costs next");
    return { ...NO_PAYMENT, nextPaymentAt };
  }
}
