import type Stripe from "stripe";
import { invalidParameter } from "./api-error";
import { emit } from "./events";
import { requireObject } from "./objects";
import type { Sandbox } from "./sandbox";
import { BANK_ACCOUNT, type BankAccount, TEST_CARDS, type TestCard } from "./test-cards";
import { newId, type PaymentMethod, type Stored, type Wire } from "./wire";

const CARD_EXPIRY_YEARS = 5;

/** Creates a payment method that is not attached to a customer yet. */
export function addPaymentMethod(
  sandbox: Sandbox,
  instrument: TestCard | BankAccount,
  email: string | null,
): PaymentMethod {
  const method: PaymentMethod = {
    id: newId("pm"),
    object: "payment_method",
    allow_redisplay: "limited",
    billing_details: { address: null, email, name: null, phone: null, tax_id: null },
    created: sandbox.now(),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    ...(instrument === BANK_ACCOUNT
      ? { type: "us_bank_account", us_bank_account: bankAccount }
      : { type: "card", card: cardDetails(sandbox, instrument) }),
  } satisfies Wire<Stripe.PaymentMethod>;
  sandbox.state.paymentMethods.set(method.id, method);
  sandbox.state.instruments.set(method.id, instrument);
  sandbox.changed();
  return method;
}

/** Attaches a payment method to a customer, for later payments. */
export function attachPaymentMethod(
  sandbox: Sandbox,
  method: PaymentMethod,
  customerId: string,
): void {
  if (method.customer === customerId) return;
  method.customer = customerId;
  emit(sandbox, "payment_method.attached", method);
}

const bankAccount = {
  account_holder_type: "individual",
  account_type: "checking",
  bank_name: "STRIPE TEST BANK",
  financial_connections_account: null,
  fingerprint: null,
  last4: "6789",
  networks: { preferred: "ach", supported: ["ach"] },
  routing_number: "110000000",
  status_details: null,
} satisfies Wire<Stripe.PaymentMethod.UsBankAccount>;

function cardDetails(sandbox: Sandbox, card: TestCard): Stored<Stripe.PaymentMethod.Card> {
  const { brand } = TEST_CARDS[card];
  return {
    brand,
    checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: "pass" },
    country: "US",
    display_brand: brand,
    exp_month: 12,
    exp_year: new Date(sandbox.now() * 1000).getUTCFullYear() + CARD_EXPIRY_YEARS,
    fingerprint: null,
    funding: "credit",
    generated_from: null,
    last4: card.slice(-4),
    networks: { available: [brand], preferred: null },
    regulated_status: "unregulated",
    three_d_secure_usage: { supported: true },
    wallet: null,
  };
}

/**
 * Returns the payment method if it is attached to the customer; else throws Stripe's error. Only an attached one can
 * be a default (docs.stripe.com/api/customers/update).
 */
export function requireOwnPaymentMethod(
  sandbox: Sandbox,
  id: string,
  customerId: string,
  param: string,
): PaymentMethod {
  const method = requireObject(sandbox, "paymentMethods", id, param);
  if (method.customer === customerId) return method;
  throw invalidParameter(
    param,
    `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`,
    "resource_missing",
  );
}
