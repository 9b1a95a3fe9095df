import type Stripe from "stripe";
import { emit } from "./events";
import type { Sandbox } from "./sandbox";
import { BANK_ACCOUNT, type ChargeOutcome } from "./test-cards";
import {
  type Charge,
  newId,
  nulls,
  type PaymentIntent,
  type PaymentMethod,
  pick,
  type Stored,
  type Wire,
} from "./wire";

export type Payment = {
  customerId: string;
  amount: number;
  currency: string;
  description: string;
};

/** Creates a payment intent without a charge. */
export function addPaymentIntent(sandbox: Sandbox, payment: Payment): PaymentIntent {
  const id = newId("pi");
  const intent: PaymentIntent = {
    id,
    object: "payment_intent",
    ...nulls(
      "allowed_payment_method_types application application_fee_amount automatic_payment_methods",
      "canceled_at cancellation_reason customer_account excluded_payment_method_types",
      "last_payment_error latest_charge managed_payments next_action on_behalf_of payment_method",
      "payment_method_configuration_details payment_method_options payment_record processing",
      "receipt_email review shipping source statement_descriptor statement_descriptor_suffix",
      "transfer_data transfer_group",
    ),
    amount: payment.amount,
    amount_capturable: 0,
    amount_received: 0,
    capture_method: "automatic",
    client_secret: newId(`${id}_secret`),
    confirmation_method: "automatic",
    created: sandbox.now(),
    currency: payment.currency,
    customer: payment.customerId,
    description: payment.description,
    livemode: false,
    metadata: {},
    payment_method_types: ["card", "us_bank_account"],
    setup_future_usage: "off_session",
    status: "requires_payment_method",
  } satisfies Wire<Stripe.PaymentIntent>;
  sandbox.state.paymentIntents.set(intent.id, intent);
  emit(sandbox, "payment_intent.created", intent);
  return intent;
}

/** Charges a payment method for an intent, with a given outcome, and emits Stripe's events. */
export function attemptPayment(
  sandbox: Sandbox,
  intent: PaymentIntent,
  method: PaymentMethod,
  outcome: ChargeOutcome,
): void {
  intent.payment_method = method.id;
  if (outcome.kind === "authentication") {
    intent.status = "requires_action";
    intent.next_action = { type: "use_stripe_sdk" };
    intent.last_payment_error = null;
    emit(sandbox, "payment_intent.requires_action", intent);
    return;
  }
  intent.next_action = null;
  const charge = addCharge(sandbox, intent, method, outcome);
  intent.latest_charge = charge.id;
  if (outcome.kind === "paid") {
    emit(sandbox, "charge.succeeded", charge);
    succeed(sandbox, intent);
  } else if (outcome.kind === "processing") {
    intent.status = "processing";
    emit(sandbox, "charge.pending", charge);
    emit(sandbox, "payment_intent.processing", intent);
  } else {
    emit(sandbox, "charge.failed", charge);
    fail(sandbox, intent, {
      type: "card_error",
      code: outcome.code,
      decline_code: outcome.declineCode,
      message: outcome.message,
      charge: charge.id,
    });
  }
}

/** Fails a payment whose 3-D Secure authentication failed. */
export function failAuthentication(sandbox: Sandbox, intent: PaymentIntent): void {
  intent.next_action = null;
  fail(sandbox, intent, {
    type: "invalid_request_error",
    code: "payment_intent_authentication_failure",
    message: AUTHENTICATION_FAILED,
  });
}

export const AUTHENTICATION_FAILED =
  "We are unable to authenticate your payment method. Please choose a different payment method and try again.";

/** Settles or fails a delayed payment. */
export function settlePayment(sandbox: Sandbox, intent: PaymentIntent, arrived: boolean): void {
  const charge = sandbox.state.charges.get(intent.latest_charge ?? "");
  if (charge) {
    charge.status = arrived ? "succeeded" : "failed";
    charge.paid = arrived;
    charge.failure_code = arrived ? null : "bank_account_declined";
    charge.failure_message = arrived ? null : DEBIT_FAILED;
    emit(sandbox, arrived ? "charge.succeeded" : "charge.failed", charge);
  }
  if (arrived) {
    succeed(sandbox, intent);
  } else {
    fail(sandbox, intent, {
      type: "card_error",
      code: "payment_intent_payment_attempt_failed",
      message: DEBIT_FAILED,
    });
  }
}

const DEBIT_FAILED = "The customer's bank account could not be debited.";

function succeed(sandbox: Sandbox, intent: PaymentIntent): void {
  intent.status = "succeeded";
  intent.amount_received = intent.amount;
  intent.last_payment_error = null;
  emit(sandbox, "payment_intent.succeeded", intent);
}

function fail(
  sandbox: Sandbox,
  intent: PaymentIntent,
  error: NonNullable<PaymentIntent["last_payment_error"]>,
): void {
  intent.status = "requires_payment_method";
  intent.last_payment_error = error;
  intent.payment_method = null;
  emit(sandbox, "payment_intent.payment_failed", intent);
}

function addCharge(
  sandbox: Sandbox,
  intent: PaymentIntent,
  method: PaymentMethod,
  outcome: Exclude<ChargeOutcome, { kind: "authentication" }>,
): Charge {
  const isPaid = outcome.kind === "paid";
  const declined = outcome.kind === "declined" ? outcome : null;
  const id = newId(sandbox.state.instruments.get(method.id) === BANK_ACCOUNT ? "py" : "ch");
  const charge: Charge = {
    id,
    object: "charge",
    ...nulls(
      "application application_fee application_fee_amount balance_transaction",
      "failure_balance_transaction on_behalf_of receipt_email receipt_number receipt_url review",
      "shipping source source_transfer statement_descriptor statement_descriptor_suffix",
      "transfer_data transfer_group",
    ),
    ...pick(intent, "amount currency customer description livemode"),
    amount_captured: declined ? 0 : intent.amount,
    amount_refunded: 0,
    billing_details: method.billing_details,
    calculated_statement_descriptor: "THE GOLDEN PATH",
    captured: declined === null,
    created: sandbox.now(),
    disputed: false,
    failure_code: declined?.code ?? null,
    failure_message: declined?.message ?? null,
    fraud_details: {},
    metadata: {},
    outcome: {
      ...nulls("advice_code network_advice_code network_decline_code"),
      network_status: declined ? "declined_by_network" : "approved_by_network",
      reason: declined?.declineCode ?? null,
      risk_level: "normal",
      seller_message: declined
        ? "The bank did not return any further details with this decline."
        : "Payment complete.",
      type: declined ? "issuer_declined" : "authorized",
    },
    paid: isPaid,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: chargedDetails(method, intent.amount),
    refunded: false,
    status: isPaid ? "succeeded" : declined ? "failed" : "pending",
  } satisfies Wire<Stripe.Charge>;
  sandbox.state.charges.set(charge.id, charge);
  return charge;
}

function chargedDetails(
  method: PaymentMethod,
  amount: number,
): Stored<Stripe.Charge.PaymentMethodDetails> {
  const { card, us_bank_account: account } = method;
  if (card) {
    return {
      type: "card",
      card: {
        amount_authorized: amount,
        ...nulls(
          "authorization_code electronic_commerce_indicator installments mandate",
          "network_transaction_id three_d_secure transaction_link_id wallet",
        ),
        ...pick(card, "brand checks country exp_month exp_year funding last4 regulated_status"),
        network: card.brand,
      },
    };
  }
  return {
    type: "us_bank_account",
    ...(account && {
      us_bank_account: {
        ...pick(account, "account_holder_type account_type bank_name last4 routing_number"),
        ...nulls("fingerprint payment_reference"),
      },
    }),
  };
}
