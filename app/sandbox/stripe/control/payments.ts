import { z } from "zod";
import { closeDispute, disputeCharge, escalateInquiry, reviewDispute } from "../engine/disputes";
import { failRefund, refundCharge, settleRefund } from "../engine/refunds";
import type { Sandbox } from "../engine/sandbox";
import type { Dispute, Refund } from "../engine/wire";
import { action, type ControlAction } from "./action";
import { ControlError } from "./error";
import { flag, noInput, requirePayment, requireSubscription } from "./targets";

const payment = z.enum(["first", "last"]).default("last");

function requireDispute(sandbox: Sandbox, id: string): Dispute {
  const dispute = sandbox.state.disputes.get(id);
  if (!dispute) throw new ControlError(404, `There is no dispute ${id}.`);
  return dispute;
}

function requireRefund(sandbox: Sandbox, id: string): Refund {
  const refund = sandbox.state.refunds.get(id);
  if (!refund) throw new ControlError(404, `There is no refund ${id}.`);
  return refund;
}

/** The control actions for refunds and disputes. */
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
      refundCharge(
        sandbox,
        requirePayment(sandbox, requireSubscription(sandbox, id), which),
        amount,
        {
          isPending,
        },
      ),
  ),
  action("POST", "/_control/refunds/:id/fail", noInput, ({ sandbox }, id) => {
    const refund = requireRefund(sandbox, id);
    failRefund(sandbox, refund);
    return refund;
  }),
  action("POST", "/_control/refunds/:id/settle", noInput, ({ sandbox }, id) => {
    const refund = requireRefund(sandbox, id);
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
        requirePayment(sandbox, requireSubscription(sandbox, id), which),
        inquiry ? "warning_needs_response" : prevented ? "prevented" : "needs_response",
      ),
  ),
  action("POST", "/_control/disputes/:id/escalate", noInput, ({ sandbox }, id) => {
    const dispute = requireDispute(sandbox, id);
    escalateInquiry(sandbox, dispute);
    return dispute;
  }),
  action("POST", "/_control/disputes/:id/review", noInput, ({ sandbox }, id) => {
    const dispute = requireDispute(sandbox, id);
    reviewDispute(sandbox, dispute);
    return dispute;
  }),
  action(
    "POST",
    "/_control/disputes/:id/close",
    z.object({ won: flag }),
    ({ sandbox }, id, { won }) => {
      const dispute = requireDispute(sandbox, id);
      closeDispute(sandbox, dispute, won);
      return dispute;
    },
  ),
];
