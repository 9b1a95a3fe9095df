import type Stripe from "stripe";
import { invalidParameter, invalidRequest } from "./api-error";
import { isChargedBack } from "./disputes";
import { emit, update } from "./events";
import type { Sandbox } from "./sandbox";
import { type Charge, newId, nulls, pick, type Refund, type Wire } from "./wire";

/** Refunds a charge, or `amount` cents of it. Throws Stripe's error if the amount exceeds the rest. */
export function refundCharge(
  sandbox: Sandbox,
  charge: Charge,
  amount = charge.amount - charge.amount_refunded,
): Refund {
  if (charge.status !== "succeeded") {
    throw invalidRequest(`Charge ${charge.id} has not succeeded.`, "charge_not_refundable");
  }
  if (charge.refunded) {
    throw invalidRequest(
      `Charge ${charge.id} has already been refunded.`,
      "charge_already_refunded",
    );
  }
  if (isChargedBack(sandbox, charge)) {
    throw invalidRequest(
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
    ...nulls(
      "balance_transaction customer_account receipt_number source_transfer_reversal",
      "transfer_reversal",
    ),
    amount,
    charge: charge.id,
    created: sandbox.now(),
    ...pick(charge, "currency customer payment_intent payment_method"),
    metadata: {},
    reason: "requested_by_customer",
    status: "succeeded",
  } satisfies Wire<Stripe.Refund>;
  sandbox.state.refunds.set(refund.id, refund);
  emit(sandbox, "refund.created", refund);
  update(sandbox, "charge.refunded", charge, {
    amount_refunded: charge.amount_refunded + amount,
    refunded: amount === left,
  });
  return refund;
}

/**
 * Fails a refund: the bank returns the money, and the charge no longer counts as refunded
 * (docs.stripe.com/refunds, "Failed refunds").
 */
export function failRefund(sandbox: Sandbox, refund: Refund): void {
  if (refund.status !== "succeeded") {
    throw invalidRequest(`Refund ${refund.id} is ${refund.status}.`);
  }
  update(sandbox, "refund.updated", refund, { status: "failed", failure_reason: "unknown" });
  emit(sandbox, "refund.failed", refund);
  emit(sandbox, "charge.refund.updated", refund);
  const charge = sandbox.state.charges.get(refund.charge ?? "");
  if (!charge) return;
  update(sandbox, "charge.updated", charge, {
    amount_refunded: charge.amount_refunded - refund.amount,
    refunded: false,
  });
}
