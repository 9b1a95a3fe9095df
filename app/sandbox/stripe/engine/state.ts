import type { BankAccount, TestCard } from "./test-cards";
import type {
  Charge,
  CheckoutSession,
  Customer,
  DeletedCustomer,
  Dispute,
  Event,
  Invoice,
  InvoicePayment,
  PaymentIntent,
  PaymentMethod,
  PortalConfiguration,
  PortalSession,
  Price,
  Product,
  Refund,
  Subscription,
  WebhookEndpoint,
} from "./wire";

/** What a session was created with that its API object does not carry. */
export type CheckoutDetails = {
  priceId: string;
  quantity: number;
  subscriptionMetadata: Record<string, string>;
  subscriptionDescription: string | null;
  /** The declined or unfinished payment that the next attempt goes on with. */
  paymentIntentId: string | null;
};

/** A payment that waits on the 3-D Secure page for its customer. */
export type Authentication = { card: TestCard; email: string | null };

export type DeliveryState = "pending" | "held" | "delivered" | "failed" | "dropped";

/** One event on its way to one endpoint. Times are real milliseconds, not the sandbox clock's. */
export type Delivery = {
  id: string;
  eventId: string;
  endpointId: string;
  state: DeliveryState;
  attempts: { at: number; status: number | null; problem: string | null; durationMs: number }[];
  nextAttemptAt: number;
};

/** What happens to webhooks from now on. */
export type WebhookPolicy = {
  /** `hold` keeps events until they are released, `drop` loses them for good. */
  mode: "deliver" | "hold" | "drop";
  /** How many deliveries to lose for good, whatever the mode. */
  dropNext: number;
  /** How long a delivery waits before its first attempt. */
  delayMs: number;
  /** A random wait on top, so that events arrive in any order. */
  jitterMs: number;
  /** How many extra deliveries each event gets. */
  duplicates: number;
};

/** What becomes of a subscription whose last payment retry failed. */
export type AfterRetries = "cancel" | "unpaid" | "past_due";

/** The answer to a request with an idempotency key, kept for 24 hours. */
export type StoredResponse = {
  method: string;
  path: string;
  parameters: string;
  status: number;
  body: string;
  requestId: string;
  createdAt: number;
};

/** Everything the sandbox knows: what its state file holds. Maps keep the order of creation. */
export type State = {
  /** Seconds by which the sandbox clock is ahead of the real one. */
  clockOffset: number;
  invoiceCount: number;
  afterRetries: AfterRetries;
  /** The origin of checkout and portal pages, where it is not the sandbox's own. */
  customDomain: string | null;
  webhookPolicy: WebhookPolicy;
  customers: Map<string, Customer | DeletedCustomer>;
  products: Map<string, Product>;
  prices: Map<string, Price>;
  checkoutSessions: Map<string, CheckoutSession>;
  checkoutDetails: Map<string, CheckoutDetails>;
  authentications: Map<string, Authentication>;
  subscriptions: Map<string, Subscription>;
  invoices: Map<string, Invoice>;
  invoicePayments: Map<string, InvoicePayment>;
  paymentMethods: Map<string, PaymentMethod>;
  /** What stands behind each payment method: how it answers when it is charged. */
  instruments: Map<string, TestCard | BankAccount>;
  paymentIntents: Map<string, PaymentIntent>;
  charges: Map<string, Charge>;
  refunds: Map<string, Refund>;
  disputes: Map<string, Dispute>;
  portalConfigurations: Map<string, PortalConfiguration>;
  portalSessions: Map<string, PortalSession>;
  webhookEndpoints: Map<string, WebhookEndpoint>;
  events: Map<string, Event>;
  deliveries: Map<string, Delivery>;
  idempotentResponses: Map<string, StoredResponse>;
};

export const DEFAULT_WEBHOOK_POLICY: WebhookPolicy = {
  mode: "deliver",
  dropNext: 0,
  delayMs: 0,
  jitterMs: 0,
  duplicates: 0,
};

/** A sandbox in which nothing has happened yet. */
export function emptyState(): State {
  return {
    clockOffset: 0,
    invoiceCount: 0,
    afterRetries: "cancel",
    customDomain: null,
    webhookPolicy: { ...DEFAULT_WEBHOOK_POLICY },
    customers: new Map(),
    products: new Map(),
    prices: new Map(),
    checkoutSessions: new Map(),
    checkoutDetails: new Map(),
    authentications: new Map(),
    subscriptions: new Map(),
    invoices: new Map(),
    invoicePayments: new Map(),
    paymentMethods: new Map(),
    instruments: new Map(),
    paymentIntents: new Map(),
    charges: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    portalConfigurations: new Map(),
    portalSessions: new Map(),
    webhookEndpoints: new Map(),
    events: new Map(),
    deliveries: new Map(),
    idempotentResponses: new Map(),
  };
}
