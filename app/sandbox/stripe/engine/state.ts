import type { Permission } from "./permissions";
import type { BankAccount, TestCard } from "./test-cards";
import type * as Wire from "./wire";

/** Session parameters that its API object lacks. */
export type CheckoutDetails = {
  priceId: string;
  quantity: number;
  subscriptionMetadata: Record<string, string>;
  /** The coupon of the promotion code that was entered. */
  coupon: Coupon | null;
  /** The declined or unfinished payment that the next attempt continues. */
  paymentIntentId: string | null;
};

/** A payment awaiting 3-D Secure authentication. */
export type Authentication = { card: TestCard; email: string | null };

type DeliveryState = "pending" | "held" | "delivered" | "failed" | "dropped";

/** The delivery of one event to one endpoint. Times are real milliseconds, not the local Stripe's clock. */
export type Delivery = {
  id: string;
  eventId: string;
  endpointId: string;
  state: DeliveryState;
  attempts: { at: number; status: number | null; problem: string | null; durationMs: number }[];
  nextAttemptAt: number;
};

/** How new events are delivered. */
type WebhookPolicy = {
  /** `hold` keeps deliveries until released; `drop` drops them for good. */
  mode: "deliver" | "hold" | "drop";
  /** Extra deliveries per event. */
  duplicates: number;
};

/** The change to a subscription after its last failed retry. */
type AfterRetries = "cancel" | "unpaid" | "past_due";

/** A coupon. `amountOff` is in the minor unit of the subscription's currency; without `months` it lasts forever. */
export type Coupon = {
  percentOff?: number | undefined;
  amountOff?: number | undefined;
  months?: number | undefined;
};

/** A subscription's coupon, until Unix seconds; null for ever. */
export type Discount = { id: string; coupon: Coupon; until: number | null };

/** The response to a request with an idempotency key, stored for 24 hours. */
export type StoredResponse = {
  method: string;
  path: string;
  parameters: string;
  status: number;
  body: string;
  requestId: string;
  createdAt: number;
};

export const DEFAULT_WEBHOOK_POLICY: WebhookPolicy = { mode: "deliver", duplicates: 0 };

/** The local Stripe's whole state, as stored in its file. */
export type State = ReturnType<typeof emptyState>;

/** Returns an empty state. Maps keep the order of creation. */
export function emptyState() {
  return {
    /** Seconds by which the local Stripe's clock is ahead of the real one. */
    clockOffset: 0,
    invoiceCount: 0,
    afterRetries: "cancel" as AfterRetries,
    /** The status of a subscription while its first payment, a bank debit, is processing. */
    statusWhileDebited: "incomplete" as "active" | "incomplete",
    /** The tax added to, or included in, taxed prices. */
    taxPercent: 0,
    /** The amounts of prices in further currencies, by price. */
    currencyOptions: new Map<string, Record<string, number>>(),
    /** Coupons by their promotion codes, and discounts by subscription. */
    coupons: new Map<string, Coupon>(),
    discounts: new Map<string, Discount>(),
    /** Whether the account's public details name terms of service, and its tax settings an address. */
    hasTermsUrl: true,
    /** Whether the account's payment methods include Cash App Pay. */
    offersCashApp: false,
    hasTaxAddress: true,
    /** The permissions of each restricted key. */
    restrictedKeys: new Map<string, Permission[]>(),
    /** The origin of checkout and portal pages; null for the local Stripe's own. */
    customDomain: null as string | null,
    webhookPolicy: { ...DEFAULT_WEBHOOK_POLICY },
    customers: new Map<string, Wire.Customer | Wire.DeletedCustomer>(),
    products: new Map<string, Wire.Product>(),
    prices: new Map<string, Wire.Price>(),
    checkoutSessions: new Map<string, Wire.CheckoutSession>(),
    checkoutDetails: new Map<string, CheckoutDetails>(),
    authentications: new Map<string, Authentication>(),
    subscriptions: new Map<string, Wire.Subscription>(),
    invoices: new Map<string, Wire.Invoice>(),
    invoicePayments: new Map<string, Wire.InvoicePayment>(),
    paymentMethods: new Map<string, Wire.PaymentMethod>(),
    /** The card or account behind each payment method, which decides the outcome of its charges. */
    instruments: new Map<string, TestCard | BankAccount>(),
    paymentIntents: new Map<string, Wire.PaymentIntent>(),
    charges: new Map<string, Wire.Charge>(),
    refunds: new Map<string, Wire.Refund>(),
    disputes: new Map<string, Wire.Dispute>(),
    portalConfigurations: new Map<string, Wire.PortalConfiguration>(),
    portalSessions: new Map<string, Wire.PortalSession>(),
    webhookEndpoints: new Map<string, Wire.WebhookEndpoint>(),
    events: new Map<string, Wire.Event>(),
    deliveries: new Map<string, Delivery>(),
    idempotentResponses: new Map<string, StoredResponse>(),
  };
}
