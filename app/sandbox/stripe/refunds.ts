import type Stripe from "stripe";
import { invalidParameter, noSuch, notAllowed } from "./api-errors";
import { isChargedBack } from "./disputes";
import { type Endpoint, endpoint } from "./endpoint";
import { emit, update } from "./events";
import { newId } from "./ids";
import { page } from "./lists";
import {
  changeMetadata,
  expand,
  integer,
  metadata,
  moment,
  oneOf,
  onlyExpand,
  type ParametersOf,
  paging,
  text,
  unplayed,
} from "./parameters";
import { chargeNamed, paymentIntentNamed } from "./payments";
import type { Sandbox } from "./sandbox";
import type { Charge, Refund, Wire } from "./wire";

type RefundDetails = {
  metadata?: Record<string, string>;
  reason?: Refund["reason"];
  /** One that is on its way for days, as bank debits are given back. */
  isPending?: boolean;
};

/** Gives back a charge, or a part of it in cents. Throws Stripe's error for more than is left. */
export function refundCharge(
  sandbox: Sandbox,
  charge: Charge,
  amount = charge.amount - charge.amount_refunded,
  more: RefundDetails = {},
): Refund {
  if (charge.status !== "succeeded") {
    throw notAllowed(`Charge ${charge.id} has not succeeded.`, "charge_not_refundable");
  }
  if (charge.refunded) {
    throw notAllowed(`Charge ${charge.id} has already been refunded.`, "charge_already_refunded");
  }
  if (isChargedBack(sandbox, charge)) {
    throw notAllowed(
      `Charge ${charge.id} has been charged back; cannot issue a refund.`,
      "charge_disputed",
    );
  }
  const left = charge.amount - charge.amount_refunded;
  if (amount > left) {
    throw invalidParameter(
      "amount",
      `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`,
    );
  }
  const refund: Refund = {
    id: newId("re"),
    object: "refund",
    amount,
    balance_transaction: null,
    charge: charge.id,
    created: sandbox.now(),
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    metadata: more.metadata ?? {},
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: more.reason === undefined ? "requested_by_customer" : more.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: more.isPending ? "pending" : "succeeded",
    transfer_reversal: null,
  } satisfies Wire<Stripe.Refund>;
  sandbox.state.refunds.set(refund.id, refund);
  emit(sandbox, "refund.created", refund);
  update(sandbox, "charge.refunded", charge, () => {
    charge.amount_refunded += amount;
    charge.refunded = charge.amount_refunded === charge.amount;
  });
  return refund;
}

/** A pending refund arrives. */
export function settleRefund(sandbox: Sandbox, refund: Refund): void {
  if (refund.status !== "pending") throw notAllowed(`Refund ${refund.id} is ${refund.status}.`);
  update(sandbox, "refund.updated", refund, () => {
    refund.status = "succeeded";
  });
}

/**
 * A refund that had been made, or was on its way, comes back from the bank, and the charge counts as
 * refunded no longer (docs.stripe.com/refunds, "Failed refunds").
 */
export function failRefund(sandbox: Sandbox, refund: Refund): void {
  if (refund.status !== "pending" && refund.status !== "succeeded") {
    throw notAllowed(`Refund ${refund.id} is ${refund.status}.`);
  }
  update(sandbox, "refund.updated", refund, () => {
    refund.status = "failed";
    refund.failure_reason = "unknown";
  });
  emit(sandbox, "refund.failed", refund);
  emit(sandbox, "charge.refund.updated", refund);
  const charge = sandbox.state.charges.get(refund.charge ?? "");
  if (!charge) return;
  update(sandbox, "charge.updated", charge, () => {
    charge.amount_refunded -= refund.amount;
    charge.refunded = false;
  });
}

const refundCreate = {
  amount: integer(1),
  charge: text(),
  expand,
  metadata: metadata(),
  payment_intent: text(),
  reason: oneOf("duplicate", "fraudulent", "requested_by_customer"),
  ...unplayed(
    "currency",
    "customer",
    "instructions_email",
    "origin",
    "refund_application_fee",
    "reverse_transfer",
  ),
} satisfies ParametersOf<Stripe.RefundCreateParams>;

const refundList = {
  ...paging,
  charge: text(),
  created: moment(),
  payment_intent: text(),
} satisfies ParametersOf<Stripe.RefundListParams>;

export const refundEndpoints: Endpoint[] = [
  endpoint("POST", "/v1/refunds", refundCreate, ({ sandbox, values }) => {
    const { amount, charge, payment_intent, reason } = values;
    if ((charge === undefined) === (payment_intent === undefined)) {
      throw notAllowed("You must provide exactly one of these parameters: charge, payment_intent.");
    }
    const intent =
      payment_intent === undefined
        ? null
        : paymentIntentNamed(sandbox, payment_intent, "payment_intent");
    if (intent && intent.latest_charge === null) {
      throw notAllowed(
        `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
      );
    }
    return refundCharge(
      sandbox,
      chargeNamed(sandbox, charge ?? intent?.latest_charge ?? "", "charge"),
      amount,
      { metadata: changeMetadata({}, values.metadata), reason: reason ?? null },
    );
  }),
  endpoint("GET", "/v1/refunds", refundList, (call) => {
    const { charge, created, payment_intent } = call.values;
    return page(
      call,
      "refund",
      call.sandbox.state.refunds.values(),
      (refund) =>
        (charge === undefined || refund.charge === charge) &&
        (payment_intent === undefined || refund.payment_intent === payment_intent) &&
        (created?.(refund.created) ?? true),
    );
  }),
  endpoint("GET", "/v1/refunds/:id", onlyExpand, ({ sandbox, id }) => {
    const refund = sandbox.state.refunds.get(id);
    if (!refund) throw noSuch("refund", id);
    return refund;
  }),
];
