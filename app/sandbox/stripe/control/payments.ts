import { z } from "zod";
import { closeDispute, disputeCharge, escalateInquiry, reviewDispute } from "../engine/disputes";
import { failRefund, refundCharge, settleRefund } from "../engine/refunds";
import type { Sandbox } from "../engine/sandbox";
import type { Dispute, Refund } from "../engine/wire";
import { action, type ControlAction } from "./action";
import { ControlError } from "./error";
import { flag, nothing, paymentOf, subscriptionOf } from "./targets";

const payment = z.enum(["first", "last"]).default("last");

function disputeOf(sandbox: Sandbox, id: string): Dispute {
  const dispute = sandbox.state.disputes.get(id);
  if (!dispute) throw new ControlError(404, `There is no dispute ${id}.`);
  return dispute;
}

function refundOf(sandbox: Sandbox, id: string): Refund {
  const refund = sandbox.state.refunds.get(id);
  if (!refund) throw new ControlError(404, `There is no refund ${id}.`);
  return refund;
}

/** What a tester can bring about after a payment: refunds and disputes. */
export const paymentActions: ControlAction[] = [
  action(
    "POST",
    "/_control/subscriptions/:id/refund",
    z.object({
      amount: z.coerce.number().int().min(1).optional(),
      payment,
      pending: flag.default(false),
    }),
    ({ sandbox }, id, { amount, payment: which, pending: isPending }) =>
      refundCharge(sandbox, paymentOf(sandbox, subscriptionOf(sandbox, id), which), amount, {
        isPending,
      }),
  ),
  action("POST", "/_control/refunds/:id/fail", nothing, ({ sandbox }, id) => {
    const refund = refundOf(sandbox, id);
    failRefund(sandbox, refund);
    return refund;
  }),
  action("POST", "/_control/refunds/:id/settle", nothing, ({ sandbox }, id) => {
    const refund = refundOf(sandbox, id);
    settleRefund(sandbox, refund);
    return refund;
  }),
  action(
    "POST",
    "/_control/subscriptions/:id/dispute",
    z.object({ inquiry: flag.default(false), prevented: flag.default(false), payment }),
    ({ sandbox }, id, { inquiry, prevented, payment: which }) =>
      disputeCharge(
        sandbox,
        paymentOf(sandbox, subscriptionOf(sandbox, id), which),
        inquiry ? "warning_needs_response" : prevented ? "prevented" : "needs_response",
      ),
  ),
  action("POST", "/_control/disputes/:id/escalate", nothing, ({ sandbox }, id) => {
    const dispute = disputeOf(sandbox, id);
    escalateInquiry(sandbox, dispute);
    return dispute;
  }),
  action("POST", "/_control/disputes/:id/review", nothing, ({ sandbox }, id) => {
    const dispute = disputeOf(sandbox, id);
    reviewDispute(sandbox, dispute);
    return dispute;
  }),
  action(
    "POST",
    "/_control/disputes/:id/close",
    z.object({ won: flag }),
    ({ sandbox }, id, { won }) => {
      const dispute = disputeOf(sandbox, id);
      closeDispute(sandbox, dispute, won);
      return dispute;
    },
  ),
];
