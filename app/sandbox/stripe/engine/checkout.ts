import { customerDetails, requiresTermsConsent, setAmounts } from "./checkout-sessions";
import { isPresent } from "./customers";
import { emit, update } from "./events";
import { settleInvoice } from "./invoice-settlement";
import { addInvoicePayment } from "./invoices";
import { requireObject } from "./objects";
import { addPaymentMethod, attachPaymentMethod } from "./payment-methods";
import {
  AUTHENTICATION_FAILED,
  addPaymentIntent,
  attemptPayment,
  failAuthentication,
} from "./payments";
import type { Sandbox } from "./sandbox";
import type { CheckoutDetails } from "./state";
import { settleDebit, startSubscription } from "./subscription-lifecycle";
import { type BankAccount, type ChargeOutcome, chargeOutcome, type TestCard } from "./test-cards";
import type { CheckoutSession, Customer, PaymentIntent } from "./wire";

/** The outcome of an attempt to pay in a session. */
type CheckoutOutcome =
  | { kind: "complete"; redirect: string }
  | { kind: "declined"; message: string }
  | { kind: "authentication" }
  | { kind: "closed"; message: string };

type Attempt = {
  instrument: TestCard | BankAccount;
  /** The address entered by a customer without one. */
  email: string | null;
  /** A promotion code, and the currency chosen by the buyer. */
  code?: string | undefined;
  currency?: string | undefined;
  /** Whether the cardholder has passed 3-D Secure. */
  authenticated: boolean;
};

/**
 * Pays in a session. A payment that succeeds or is processing completes it and starts the subscription. A declined
 * card leaves it open for another attempt.
 */
export function payInSession(
  sandbox: Sandbox,
  session: CheckoutSession,
  attempt: Attempt,
): CheckoutOutcome {
  const details = sandbox.state.checkoutDetails.get(session.id);
  if (session.status !== "open" || !details || session.expires_at <= sandbox.now()) {
    return { kind: "closed", message: "This checkout session is no longer open." };
  }
  const customer = payer(sandbox, session, attempt.email);
  if (!customer) return { kind: "closed", message: "This customer no longer exists." };
  if (attempt.code) {
    const coupon = sandbox.state.coupons.get(attempt.code);
    if (!coupon) return { kind: "declined", message: "This promotion code is invalid." };
    details.coupon = coupon;
  }
  const currency = attempt.currency ?? session.currency ?? "usd";
  const total = setAmounts(sandbox, session, currency);
  const outcome: ChargeOutcome =
    attempt.authenticated || total === 0
      ? { kind: "paid" }
      : chargeOutcome(attempt.instrument, true);
  const method = addPaymentMethod(sandbox, attempt.instrument, customer.email);
  const intent = total === 0 ? null : sessionIntent(sandbox, details, customer, total, currency);
  if (intent) attemptPayment(sandbox, intent, method, outcome);
  if (outcome.kind === "authentication" && attempt.instrument !== "bank_account") {
    sandbox.state.authentications.set(session.id, {
      card: attempt.instrument,
      email: attempt.email,
    });
    return { kind: "authentication" };
  }
  if (outcome.kind === "declined") return { kind: "declined", message: outcome.message };

  attachPaymentMethod(sandbox, method, customer.id);
  const { subscription, invoice } = startSubscription(sandbox, {
    customerId: customer.id,
    price: requireObject(sandbox, "prices", details.priceId),
    quantity: details.quantity,
    metadata: details.subscriptionMetadata,
    paymentMethodId: method.id,
    isTaxed: session.automatic_tax.enabled,
    currency,
    coupon: details.coupon,
  });
  if (intent) addInvoicePayment(sandbox, invoice, intent);
  if (outcome.kind === "paid") settleInvoice(sandbox, invoice, intent);
  else {
    invoice.attempted = true;
    const { statusWhileDebited: status } = sandbox.state;
    update(sandbox, "customer.subscription.updated", subscription, { status });
  }
  update(sandbox, "customer.updated", customer, { currency: session.currency });
  if (session.automatic_tax.enabled) session.automatic_tax.status = "complete";
  if (requiresTermsConsent(session))
    session.consent = { promotions: null, terms_of_service: "accepted" };
  session.status = "complete";
  const paid = intent ? "paid" : "no_payment_required";
  session.payment_status = outcome.kind === "paid" ? paid : "unpaid";
  session.customer = customer.id;
  session.customer_details = customerDetails(customer.email);
  session.subscription = subscription.id;
  session.invoice = invoice.id;
  session.url = null;
  emit(sandbox, "checkout.session.completed", session);
  return { kind: "complete", redirect: successUrlOf(session) };
}

/** Returns the intent of a session's first attempt, or a new one, for what the session now costs. */
function sessionIntent(
  sandbox: Sandbox,
  details: CheckoutDetails,
  customer: Customer,
  amount: number,
  currency: string,
): PaymentIntent {
  const intent =
    sandbox.state.paymentIntents.get(details.paymentIntentId ?? "") ??
    addPaymentIntent(sandbox, {
      customerId: customer.id,
      amount,
      currency,
      description: "Subscription creation",
    });
  details.paymentIntentId = intent.id;
  return Object.assign(intent, { amount, currency });
}

function payer(sandbox: Sandbox, session: CheckoutSession, email: string | null): Customer | null {
  const customer = sandbox.state.customers.get(session.customer ?? "");
  if (!isPresent(customer)) return null;
  // a customer without an address enters one, which is saved (stripe-node's type of `customer`)
  if (customer.email === null && email !== null) {
    update(sandbox, "customer.updated", customer, { email });
  }
  return customer;
}

/** Returns a completed session's success URL, with Stripe's placeholder replaced by the session's id. */
export function successUrlOf(session: CheckoutSession): string {
  return (session.success_url ?? "/").replaceAll("{CHECKOUT_SESSION_ID}", session.id);
}

/** Passes or fails the 3-D Secure authentication that a session awaits. */
export function completeAuthentication(
  sandbox: Sandbox,
  session: CheckoutSession,
  passed: boolean,
): CheckoutOutcome {
  const waiting = sandbox.state.authentications.get(session.id);
  if (!waiting) return { kind: "closed", message: "No payment waits for authentication." };
  sandbox.state.authentications.delete(session.id);
  sandbox.changed();
  if (passed) {
    return payInSession(sandbox, session, {
      instrument: waiting.card,
      email: waiting.email,
      authenticated: true,
    });
  }
  const details = sandbox.state.checkoutDetails.get(session.id);
  const intent = sandbox.state.paymentIntents.get(details?.paymentIntentId ?? "");
  if (intent) failAuthentication(sandbox, intent);
  return { kind: "declined", message: AUTHENTICATION_FAILED };
}

/** Settles or fails the delayed payment of a completed session. Returns whether one was processing. */
export function settleDelayedPayment(
  sandbox: Sandbox,
  session: CheckoutSession,
  arrived: boolean,
): boolean {
  const subscription = sandbox.state.subscriptions.get(session.subscription ?? "");
  if (!subscription || !settleDebit(sandbox, subscription, arrived)) return false;
  if (arrived) session.payment_status = "paid";
  const outcome = arrived ? "succeeded" : "failed";
  emit(sandbox, `checkout.session.async_payment_${outcome}`, session);
  return true;
}
