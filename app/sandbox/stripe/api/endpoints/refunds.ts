import type Stripe from "stripe";
import { invalidRequest } from "../../engine/api-error";
import { requireCharge, requirePaymentIntent } from "../../engine/payments";
import { refundCharge } from "../../engine/refunds";
import { type Endpoint, endpoint } from "../endpoint";
import {
  changeMetadata,
  expand,
  integer,
  metadata,
  oneOf,
  type ParametersOf,
  text,
  unsupported,
} from "../parameters";

const refundCreate = {
  amount: integer(1),
  charge: text(),
  expand,
  metadata: metadata(),
  payment_intent: text(),
  reason: oneOf("duplicate", "fraudulent", "requested_by_customer"),
  ...unsupported(
    "currency",
    "customer",
    "instructions_email",
    "origin",
    "refund_application_fee",
    "reverse_transfer",
  ),
} satisfies ParametersOf<Stripe.RefundCreateParams>;

export const refundEndpoints: Endpoint[] = [
  endpoint("POST", "/v1/refunds", refundCreate, ({ sandbox, values }) => {
    const { amount, charge, payment_intent, reason } = values;
    if ((charge === undefined) === (payment_intent === undefined)) {
      throw invalidRequest(
        "You must provide exactly one of these parameters: charge, payment_intent.",
      );
    }
    const intent =
      payment_intent === undefined
        ? null
        : requirePaymentIntent(sandbox, payment_intent, "payment_intent");
    if (intent && intent.latest_charge === null) {
      throw invalidRequest(
        `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
      );
    }
    return refundCharge(
      sandbox,
      requireCharge(sandbox, charge ?? intent?.latest_charge ?? "", "charge"),
      amount,
      { metadata: changeMetadata({}, values.metadata), reason: reason ?? null },
    );
  }),
];
