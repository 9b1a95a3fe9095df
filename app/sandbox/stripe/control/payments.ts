import { z } from "zod";
import { closeDispute, disputeCharge } from "../engine/disputes";
import { invoicesOf } from "../engine/invoices";
import { allOf } from "../engine/objects";
import { failRefund, refundCharge } from "../engine/refunds";
import type { Sandbox } from "../engine/sandbox";
import type { Charge, Subscription } from "../engine/wire";
import { actionsOn, type ControlAction, ControlError, flag, noInput } from "./action";

const payment = z.enum(["first", "last"]).default("last");
const onSubscription = actionsOn("subscriptions", "subscriptions");

/** Returns a subscription's first or last successful payment, or throws a 409. */
function requirePayment(
  sandbox: Sandbox,
  subscription: Subscription,
  which: "first" | "last",
): Charge {
  const invoices = new Set(invoicesOf(sandbox, subscription).map(({ id }) => id));
  const payments = allOf(sandbox, "invoicePayments").filter(
    ({ invoice, status }) => invoices.has(invoice) && status === "paid",
  );
  const intent = sandbox.state.paymentIntents.get(
    payments.at(which === "first" ? 0 : -1)?.payment.payment_intent ?? "",
  );
  const charge = sandbox.state.charges.get(intent?.latest_charge ?? "");
  if (!charge) throw new ControlError(409, `${subscription.id} has not been paid.`);
  return charge;
}

/** The control actions for refunds and disputes. */
export const paymentActions: ControlAction[] = [
  onSubscription(
    "refund",
    z.object({
      amount: z.coerce.number().int().min(1).optional(),
      payment,
    }),
    (sandbox, subscription, { amount, payment: which }) =>
      refundCharge(sandbox, requirePayment(sandbox, subscription, which), amount),
  ),
  actionsOn("refunds", "refunds")("fail", noInput, failRefund),

  onSubscription(
    "dispute",
    z.object({
      start: z
        .enum(["needs_response", "warning_needs_response", "prevented", "lost"])
        .default("needs_response"),
      payment,
    }),
    (sandbox, subscription, { start, payment: which }) =>
      disputeCharge(sandbox, requirePayment(sandbox, subscription, which), start),
  ),
  actionsOn("disputes", "disputes")("close", z.object({ won: flag }), (sandbox, dispute, { won }) =>
    closeDispute(sandbox, dispute, won),
  ),
];
