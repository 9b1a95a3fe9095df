import type Stripe from "stripe";
import { noSuch, notAllowed } from "../../engine/api-error";
import { chargeNamed, paymentIntentNamed } from "../../engine/payments";
import { refundCharge } from "../../engine/refunds";
import { type Endpoint, endpoint } from "../endpoint";
import { page } from "../pagination";
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
} from "../parameters";

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
