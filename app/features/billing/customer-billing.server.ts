import type Stripe from "stripe";
import type { StripePrice } from "~db/schema";
import {
  chargesOf,
  coverageOf,
  type DisputedPayment,
  isPaidSince,
  type Payments,
  paymentsOf,
  settlesPeriod,
} from "./coverage";
import { premiumProducts, productOf, toStripePrice } from "./premium-product.server";
import { isMissingAtStripe, stripeClient } from "./stripe-client.server";
import {
  type BillingState,
  billingStateOf,
  givesAccess,
  isOver,
  type Membership,
} from "./subscription-state";

/** A customer whom Stripe does not know in this account and mode: the keys or the database are not the right ones. */
export class UnknownCustomer extends Error {
  override name = "UnknownCustomer";
  constructor(readonly stripeCustomerId: string) {
    super(
      `Stripe does not know customer ${stripeCustomerId} in this account and mode: is STRIPE_SECRET_KEY that of the account and mode it was made in?`,
    );
  }
}

/**
 * How far back charges are asked for, in seconds: a year's membership and its grace. What the author sold the
 * same person before that says nothing of it, and may be thousands.
 */
const CHARGES_LOOKED_BACK = 400 * 24 * 60 * 60;

/** A membership with the disputes of its payments and the invoices that were looked at. */
export type ExaminedMembership = Membership & {
  disputes: DisputedPayment[];
  invoices: Stripe.Invoice[];
};

/** What Stripe says of a customer. */
export type CustomerBilling = {
  state: BillingState;
  memberships: ExaminedMembership[];
  /** The price that the membership in `state` is paid at. */
  price: StripePrice | null;
  /** Payment methods of the customer's with which a payment has failed. */
  failedPaymentMethods: ReadonlySet<string>;
  /** Whether a bank has a payment of the customer's on its way, which takes days. */
  isPaymentUnderWay: boolean;
  /** Whether the customer was deleted at Stripe, with all subscriptions. */
  isDeleted: boolean;
};

/**
 * Asks Stripe about a customer's memberships: those to our products only, since the author may sell others
 * to the same person. Two calls at the same time; more only for a period that is not settled or a disputed
 * payment. Throws UnknownCustomer, PaymentsNotConfigured and what Stripe throws.
 */
export async function askBilling(stripeCustomerId: string): Promise<CustomerBilling> {
  try {
    const [products, subscriptions, charges] = await Promise.all([
      premiumProducts(),
      listSubscriptions(stripeCustomerId),
      listCharges(stripeCustomerId),
    ]);
    const examined = subscriptions.flatMap((subscription) => {
      const item = membershipItem(subscription, products);
      return item ? [examine(subscription, item, charges, products)] : [];
    });
    const memberships = await Promise.all(examined);
    const state = billingStateOf(memberships);
    const price = priceOf(state, memberships);
    const failed = charges.filter(({ status }) => status === "failed");
    const failedPaymentMethods = new Set(failed.flatMap((charge) => charge.payment_method ?? []));
    const isPaymentUnderWay = charges.some(({ status }) => status === "pending");
    const payments = { failedPaymentMethods, isPaymentUnderWay };
    return { state, memberships, price, ...payments, isDeleted: false };
  } catch (error) {
    if (!isMissingAtStripe(error, "customer")) throw error;
    const customer = await customerState(stripeCustomerId);
    if (customer === "unknown") throw new UnknownCustomer(stripeCustomerId);
    if (customer === "there") throw error;
    const payments = { failedPaymentMethods: new Set<string>(), isPaymentUnderWay: false };
    return {
      state: billingStateOf([]),
      memberships: [],
      price: null,
      ...payments,
      isDeleted: true,
    };
  }
}

/** A customer's subscriptions to our products that are not over: with one of them nobody may check out. */
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

/** The item that makes a subscription a membership; undefined for one to something else. */
export function membershipItem(
  { items }: Stripe.Subscription,
  products: ReadonlySet<string>,
): Stripe.SubscriptionItem | undefined {
  return items.data.find(({ price }) => products.has(productOf(price)));
}

/** Whether Stripe has a customer, had it once, or never in this account and mode. */
export async function customerState(
  stripeCustomerId: string,
): Promise<"there" | "deleted" | "unknown"> {
  try {
    const customer = await stripeClient().customers.retrieve(stripeCustomerId);
    return customer.deleted ? "deleted" : "there";
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
  const base = { subscription, item, disputes: [] };
  if (isOver(subscription)) {
    return { ...base, invoices: [], coverage: { paidUntil: null, withdrawn: null } };
  }
  const payments = paymentsOf(charges);
  const { latest_invoice: latest } = subscription;
  const newest = latest && typeof latest !== "string" ? await withAllLines(latest) : null;
  const disputed = charges.filter(({ disputed }) => disputed);
  const isPlain =
    disputed.length === 0 &&
    subscription.status !== "past_due" &&
    (!givesAccess(subscription) || settlesPeriod(newest, item, products));
  const invoices = isPlain ? (newest ? [newest] : []) : await listInvoices(subscription.id);
  const disputes = (await disputesOf(invoices, payments)).filter(
    (dispute) => !isPaidSince(dispute, invoices),
  );
  return {
    subscription,
    item,
    disputes,
    invoices,
    coverage: coverageOf(invoices, payments, products, disputes),
  };
}

/** The disputes of what paid a subscription's invoices. */
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
      expand: [
        "data.latest_invoice.payments",
        "data.default_payment_method",
        "data.customer.invoice_settings.default_payment_method",
      ],
    }),
  );
}

async function listCharges(customer: string): Promise<Stripe.Charge[]> {
  const since = Math.floor(Date.now() / 1_000) - CHARGES_LOOKED_BACK;
  return all(stripeClient().charges.list({ customer, created: { gte: since }, limit: 100 }));
}

async function listInvoices(subscription: string): Promise<Stripe.Invoice[]> {
  const { invoices } = stripeClient();
  const found = await all(invoices.list({ subscription, limit: 100, expand: ["data.payments"] }));
  return Promise.all(found.map(withAllLines));
}

/**
 * An invoice comes with its first lines only (https://docs.stripe.com/api/invoices/invoice_lines). What the
 * author charged a member for besides can fill them, and the period paid for is on a later one.
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

function priceOf(state: BillingState, memberships: readonly Membership[]): StripePrice | null {
  const counted = memberships.find(({ subscription }) => {
    return subscription.id === state.stripeSubscriptionId;
  });
  return counted ? toStripePrice(counted.item.price) : null;
}
