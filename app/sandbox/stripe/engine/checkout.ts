import { customerDetails, requiresTermsConsent } from "./checkout-sessions";
import { isPresent } from "./customers";
import { emit, update } from "./events";
import { settleInvoice } from "./invoice-settlement";
import { recordFailedAttempt } from "./invoices";
import { requireObject } from "./objects";
import { addPaymentMethod, attachPaymentMethod } from "./payment-methods";
import {
  AUTHENTICATION_FAILED,
  addPaymentIntent,
  attemptPayment,
  failAuthentication,
  settlePayment,
} from "./payments";
import type { Sandbox } from "./sandbox";
import { startSubscription } from "./subscription-lifecycle";
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
  const outcome: ChargeOutcome = attempt.authenticated
    ? { kind: "paid" }
    : chargeOutcome(attempt.instrument, true);
  const intent =
    sandbox.state.paymentIntents.get(details.paymentIntentId ?? "") ??
    addPaymentIntent(sandbox, {
      customerId: customer.id,
      amount: session.amount_total ?? 0,
      currency: session.currency ?? "usd",
      description: "Subscription creation",
    });
  details.paymentIntentId = intent.id;
  const method = addPaymentMethod(sandbox, attempt.instrument, customer.email);
  attemptPayment(sandbox, intent, method, outcome);
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
  });
  if (outcome.kind === "paid") settleInvoice(sandbox, invoice, intent);
  else invoice.attempted = true;
  update(sandbox, "customer.updated", customer, { currency: session.currency });
  if (session.automatic_tax.enabled) session.automatic_tax.status = "complete";
  if (requiresTermsConsent(session))
    session.consent = { promotions: null, terms_of_service: "accepted" };
  session.status = "complete";
  session.payment_status = outcome.kind === "paid" ? "paid" : "unpaid";
  session.customer = customer.id;
  session.customer_details = customerDetails(customer.email);
  session.subscription = subscription.id;
  session.invoice = invoice.id;
  session.url = null;
  emit(sandbox, "checkout.session.completed", session);
  return { kind: "complete", redirect: successUrlOf(session) };
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

/** Settles or fails the delayed payment of a completed session. Null if none is processing. */
export function settleDelayedPayment(
  sandbox: Sandbox,
  session: CheckoutSession,
  arrived: boolean,
): PaymentIntent | null {
  const details = sandbox.state.checkoutDetails.get(session.id);
  const intent = sandbox.state.paymentIntents.get(details?.paymentIntentId ?? "");
  const invoice = sandbox.state.invoices.get(session.invoice ?? "");
  if (intent?.status !== "processing" || !invoice) return null;
  settlePayment(sandbox, intent, arrived);
  if (arrived) {
    settleInvoice(sandbox, invoice, intent);
    session.payment_status = "paid";
    emit(sandbox, "checkout.session.async_payment_succeeded", session);
  } else {
    recordFailedAttempt(sandbox, invoice, null, false);
    emit(sandbox, "checkout.session.async_payment_failed", session);
  }
  return intent;
}

/** Whether a subscription's first payment is a delayed one that is still processing. */
export function hasProcessingPayment(sandbox: Sandbox, subscriptionId: string): boolean {
  for (const session of sandbox.state.checkoutSessions.values()) {
    if (session.subscription !== subscriptionId) continue;
    const details = sandbox.state.checkoutDetails.get(session.id);
    const intent = sandbox.state.paymentIntents.get(details?.paymentIntentId ?? "");
    return intent?.status === "processing";
  }
  return false;
}
