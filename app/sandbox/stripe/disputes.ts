import type Stripe from "stripe";
import { noSuch, notAllowed } from "./api-errors";
import { type Endpoint, endpoint } from "./endpoint";
import { emit, update } from "./events";
import { newId } from "./ids";
import { page } from "./lists";
import { moment, onlyExpand, type ParametersOf, paging, text } from "./parameters";
import type { Sandbox } from "./sandbox";
import type { Charge, Dispute, Wire } from "./wire";

const DAYS_TO_ANSWER = 20;

/** The holder of the card disputes a charge with the bank, which takes the money back. */
export function disputeCharge(sandbox: Sandbox, charge: Charge): Dispute {
  if (charge.status !== "succeeded" || charge.disputed) {
    throw notAllowed(`Charge ${charge.id} cannot be disputed.`, "charge_disputed");
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
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    network_reason_code: "83",
    payment_intent: charge.payment_intent,
    reason: "fraudulent",
    status: "needs_response",
  } satisfies Wire<Stripe.Dispute>;
  sandbox.state.disputes.set(dispute.id, dispute);
  emit(sandbox, "charge.dispute.created", dispute);
  emit(sandbox, "charge.dispute.funds_withdrawn", dispute);
  update(sandbox, "charge.updated", charge, () => {
    charge.disputed = true;
  });
  return dispute;
}

const noEvidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
} satisfies Wire<Stripe.Dispute.Evidence>;

/** The bank decides a dispute; when it is won the money comes back. */
export function closeDispute(sandbox: Sandbox, dispute: Dispute, won: boolean): void {
  if (dispute.status === "won" || dispute.status === "lost") {
    throw notAllowed(`Dispute ${dispute.id} is already closed.`);
  }
  dispute.status = won ? "won" : "lost";
  if (won) emit(sandbox, "charge.dispute.funds_reinstated", dispute);
  emit(sandbox, "charge.dispute.closed", dispute);
}

/** The dispute, or Stripe's error for an id that names none. */
export function disputeNamed(sandbox: Sandbox, id: string): Dispute {
  const dispute = sandbox.state.disputes.get(id);
  if (!dispute) throw noSuch("dispute", id);
  return dispute;
}

const disputeList = {
  ...paging,
  charge: text(),
  created: moment(),
  payment_intent: text(),
} satisfies ParametersOf<Stripe.DisputeListParams>;

export const disputeEndpoints: Endpoint[] = [
  endpoint("GET", "/v1/disputes", disputeList, (call) => {
    const { charge, created, payment_intent } = call.values;
    return page(
      call,
      "dispute",
      call.sandbox.state.disputes.values(),
      (dispute) =>
        (charge === undefined || dispute.charge === charge) &&
        (payment_intent === undefined || dispute.payment_intent === payment_intent) &&
        (created?.(dispute.created) ?? true),
    );
  }),
  endpoint("GET", "/v1/disputes/:id", onlyExpand, ({ sandbox, id }) => disputeNamed(sandbox, id)),
];
