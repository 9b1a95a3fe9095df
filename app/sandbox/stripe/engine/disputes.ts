import type Stripe from "stripe";
import { invalidRequest } from "./api-error";
import { emit, update } from "./events";
import type { Sandbox } from "./sandbox";
import { type Charge, type Dispute, newId, nulls, type Wire } from "./wire";

const DAYS_TO_ANSWER = 20;

/**
 * How a dispute begins: with the funds withdrawn, as an inquiry that withdraws nothing yet, prevented
 * (docs.stripe.com/disputes/how-disputes-work), or lost at once, as a bank debit that is taken back
 * (docs.stripe.com/payments/sepa-debit).
 */
type DisputeStart = "needs_response" | "warning_needs_response" | "prevented" | "lost";

/** Opens a dispute of a charge. `charge.disputed` stays true however the dispute ends. */
export function disputeCharge(
  sandbox: Sandbox,
  charge: Charge,
  start: DisputeStart = "needs_response",
): Dispute {
  if (charge.status !== "succeeded" || charge.disputed) {
    throw invalidRequest(`Charge ${charge.id} cannot be disputed.`, "charge_disputed");
  }
  const dispute: Dispute = {
    id: newId("du"),
    object: "dispute",
    amount: charge.amount,
    balance_transactions: [],
    charge: charge.id,
    created: sandbox.now(),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: noEvidence,
    evidence_details: {
      due_by: sandbox.now() + DAYS_TO_ANSWER * 86_400,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: "not_submitted",
    },
    intended_submission_method: null,
    is_charge_refundable: start === "warning_needs_response",
    livemode: false,
    metadata: {},
    network_reason_code: "83",
    payment_intent: charge.payment_intent,
    reason: "fraudulent",
    status: start,
  } satisfies Wire<Stripe.Dispute>;
  sandbox.state.disputes.set(dispute.id, dispute);
  emit(sandbox, "charge.dispute.created", dispute);
  const isWithdrawn = start === "needs_response" || start === "lost";
  if (isWithdrawn) emit(sandbox, "charge.dispute.funds_withdrawn", dispute);
  update(sandbox, "charge.updated", charge, { disputed: true });
  return dispute;
}

const noEvidence = {
  ...nulls(
    "access_activity_log billing_address cancellation_policy cancellation_policy_disclosure",
    "cancellation_rebuttal customer_communication customer_email_address customer_name",
    "customer_purchase_ip customer_signature duplicate_charge_documentation",
    "duplicate_charge_explanation duplicate_charge_id product_description receipt refund_policy",
    "refund_policy_disclosure refund_refusal_explanation service_date service_documentation",
    "shipping_address shipping_carrier shipping_date shipping_documentation",
    "shipping_tracking_number uncategorized_file uncategorized_text",
  ),
  enhanced_evidence: {},
} satisfies Wire<Stripe.Dispute.Evidence>;

/**
 * Closes a dispute; winning reinstates the funds. An inquiry closes as `warning_closed`, and no funds move.
 */
export function closeDispute(sandbox: Sandbox, dispute: Dispute, won: boolean): void {
  if (dispute.status === "warning_needs_response") {
    if (!won) throw invalidRequest(`Dispute ${dispute.id} is an inquiry, which cannot be lost.`);
    dispute.status = "warning_closed";
    emit(sandbox, "charge.dispute.closed", dispute);
    return;
  }
  if (dispute.status !== "needs_response") {
    throw invalidRequest(`Dispute ${dispute.id} is already closed.`);
  }
  dispute.status = won ? "won" : "lost";
  if (won) emit(sandbox, "charge.dispute.funds_reinstated", dispute);
  emit(sandbox, "charge.dispute.closed", dispute);
}

/** Whether a dispute has withdrawn a charge's funds. */
export function isChargedBack(sandbox: Sandbox, charge: Charge): boolean {
  return [...sandbox.state.disputes.values()].some(
    (dispute) =>
      dispute.charge === charge.id && ["needs_response", "lost"].includes(dispute.status),
  );
}
