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

/** Parameters of a session that its API object does not have. */
export type CheckoutDetails = {
  priceId: string;
  quantity: number;
  subscriptionMetadata: Record<string, string>;
  subscriptionDescription: string | null;
  /** The declined or unfinished payment that the next attempt continues. */
  paymentIntentId: string | null;
};

/** A payment that waits for 3-D Secure authentication. */
export type Authentication = { card: TestCard; email: string | null };

export type DeliveryState = "pending" | "held" | "delivered" | "failed" | "dropped";

/** The delivery of one event to one endpoint. Times are real milliseconds, not the sandbox clock's. */
export type Delivery = {
  id: string;
  eventId: string;
  endpointId: string;
  state: DeliveryState;
  attempts: { at: number; status: number | null; problem: string | null; durationMs: number }[];
  nextAttemptAt: number;
};

/** What happens to the deliveries of new events. */
export type WebhookPolicy = {
  /** `hold` holds deliveries until they are released, `drop` drops them for good. */
  mode: "deliver" | "hold" | "drop";
  /** How many deliveries to drop, whatever the mode. */
  dropNext: number;
  /** How long a delivery waits before its first attempt. */
  delayMs: number;
  /** A random wait on top, up to this, so that events arrive in any order. */
  jitterMs: number;
  /** How many extra deliveries each event gets. */
  duplicates: number;
};

/** What happens to a subscription after its last failed retry. */
export type AfterRetries = "cancel" | "unpaid" | "past_due";

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

/** The whole state of the sandbox, as its file has it. Maps keep the order of creation. */
export type State = {
  /** Seconds by which the sandbox clock is ahead of the real one. */
  clockOffset: number;
  invoiceCount: number;
  afterRetries: AfterRetries;
  /** The origin of checkout and portal pages; null for the sandbox's own. */
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
  /** The card or account behind each payment method, which decides the outcome of its charges. */
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

/** The state of a new sandbox. */
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
