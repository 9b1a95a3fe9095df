import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { isSubscribed } from "~/features/membership/access";
import { type Coverage, RENEWAL_LEEWAY_DAYS, UNPAID_GRACE_DAYS } from "./access-end-rule";
import { coverageOf, paymentsOf, settlesPeriod, withFreeTime } from "./coverage";
import { billingStateOf, liveMemberships, type Membership } from "./subscription-state";

const PRICE = "price_ours";
const PRODUCT = "prod_ours";
const PRODUCTS = new Set([PRODUCT]);
const START = Date.UTC(2026, 0, 1) / 1000;
const END = Date.UTC(2026, 1, 1) / 1000;
const DAY = 24 * 60 * 60;

type Shape = {
  id?: string;
  status: string;
  start?: number;
  created?: number;
  end?: number;
  cancelAtPeriodEnd?: boolean;
  cancelAt?: number | null;
  paidUntil?: number | null;
  revoked?: "refund" | "dispute";
};

function membership(shape: Shape): Membership {
  const item = {
    price: { id: PRICE, product: PRODUCT },
    current_period_start: shape.start ?? START,
    current_period_end: shape.end ?? END,
  } as Stripe.SubscriptionItem;
  const subscription = {
    id: shape.id ?? "sub_1",
    created: shape.created ?? START,
    status: shape.status,
    cancel_at_period_end: shape.cancelAtPeriodEnd ?? false,
    cancel_at: shape.cancelAt ?? null,
    items: { data: [item] },
  } as unknown as Stripe.Subscription;
  const paidUntil = shape.paidUntil === undefined ? item.current_period_end : shape.paidUntil;
  return { subscription, item, coverage: { paidUntil, revoked: shape.revoked ?? null } };
}

const until = (seconds: number) => new Date(seconds * 1000);

describe("billingStateOf", () => {
  it.each(["active", "trialing"])(
    "gives access a leeway beyond the paid period while %s",
    (status) => {
      const state = billingStateOf([membership({ status })]);
      expect(state).toMatchObject({
        stripePriceId: PRICE,
        stripeCurrentPeriodEnd: until(END + RENEWAL_LEEWAY_DAYS * DAY),
      });
    },
  );

  it.each(["past_due", "active"])(
    "starts the grace period with the first unpaid period while %s",
    (status) => {
      const unpaidFor = [0, 1, 5].map((months) => {
        const start = START + months * 30 * DAY;
        const shape = { status, paidUntil: START, start, end: start + 30 * DAY };
        return billingStateOf([membership(shape)]);
      });
      const end = START + UNPAID_GRACE_DAYS * DAY;
      for (const state of unpaidFor) {
        expect(state.stripeCurrentPeriodEnd).toEqual(until(end));
        expect(isSubscribed(state, until(end - 1))).toBe(true);
        expect(isSubscribed(state, until(end))).toBe(false);
      }
    },
  );

  it("ends a canceled membership on time, without a leeway", () => {
    for (const shape of [{ cancelAtPeriodEnd: true }, { cancelAt: END }]) {
      const state = billingStateOf([membership({ status: "active", ...shape })]);
      expect(state).toMatchObject({
        stripeCurrentPeriodEnd: until(END),
        stripeCancelAtPeriodEnd: true,
        stripeCancelAt: until(END),
      });
    }
  });

  it("renews until a later cancellation", () => {
    const far = END + 90 * DAY;
    const state = billingStateOf([membership({ status: "active", cancelAt: far })]);
    expect(state).toMatchObject({
      stripeCurrentPeriodEnd: until(END + RENEWAL_LEEWAY_DAYS * DAY),
      stripeCancelAt: until(far),
    });
    const soon = END + DAY;
    expect(
      billingStateOf([membership({ status: "active", cancelAt: soon })]).stripeCurrentPeriodEnd,
    ).toEqual(until(soon));
  });

  it.each(["refund", "dispute"] as const)(
    "gives no access after a %s, with the reason",
    (revoked) => {
      const state = billingStateOf([membership({ status: "active", revoked })]);
      expect(state).toMatchObject({
        stripePriceId: null,
        stripeCurrentPeriodEnd: null,
        stripeSubscriptionStatus: "active",
        accessRevoked: revoked,
      });
    },
  );

  it.each(["canceled", "unpaid", "paused", "incomplete", "incomplete_expired", "a status of 2031"])(
    "gives no access while %s",
    (status) => {
      const state = billingStateOf([membership({ status })]);
      expect(state).toMatchObject({ stripePriceId: null, stripeCurrentPeriodEnd: null });
      expect(state.stripeSubscriptionStatus).toBe(status);
    },
  );

  it("gives no access without a payment, whatever the status", () => {
    const state = billingStateOf([membership({ status: "active", paidUntil: null })]);
    expect(state).toMatchObject({ stripePriceId: null, stripeCurrentPeriodEnd: null });
  });

  it("prefers a live membership to an ended one, in any order", () => {
    const dead = membership({ id: "sub_dead", status: "canceled", end: END + 90 * DAY });
    const live = membership({ id: "sub_live", status: "unpaid" });
    expect(billingStateOf([dead, live]).stripeSubscriptionId).toBe("sub_live");
    expect(billingStateOf([live, dead]).stripeSubscriptionId).toBe("sub_live");
  });

  it("uses the membership with the longest access", () => {
    const ending = membership({ id: "sub_ending", status: "active", cancelAt: END });
    const renewing = membership({ id: "sub_renewing", status: "active" });
    const revoked = membership({ id: "sub_refunded", status: "active", revoked: "refund" });
    expect(billingStateOf([revoked, ending, renewing]).stripeSubscriptionId).toBe("sub_renewing");
    expect(billingStateOf([revoked, ending]).stripeSubscriptionId).toBe("sub_ending");
  });
});

describe("billingStateOf, without access", () => {
  const counted = (...shapes: Shape[]) =>
    billingStateOf(shapes.map(membership)).stripeSubscriptionId;
  const refunded = { revoked: "refund" as const };

  it.each<[string, Shape, Shape]>([
    ["an active one before one past due", { status: "active" }, { status: "past_due" }],
    ["one past due before an unpaid one", { status: "past_due" }, { status: "unpaid" }],
    ["an active one before an unknown status", { status: "active" }, { status: "new in 2031" }],
    ["the one whose period ends last", { status: "active", end: END + DAY }, { status: "active" }],
    ["the one bought last", { status: "active", created: START + 1 }, { status: "active" }],
    [
      "the same of two alike, in any order",
      { id: "sub_b", status: "active" },
      { status: "active" },
    ],
  ])("counts %s", (_which, first, second) => {
    const one = { id: "sub_a", ...first, ...refunded };
    const other = { ...second, ...refunded, id: one.id === "sub_b" ? "sub_a" : "sub_b" };
    expect(counted(one, other)).toBe(one.id);
    expect(counted(other, one)).toBe(one.id);
  });
});

describe("liveMemberships", () => {
  const livesOn = (status: string) => liveMemberships([membership({ status })]).length === 1;

  it("excludes only ended memberships", () => {
    const live = ["active", "trialing", "past_due", "unpaid", "paused", "incomplete", "unheard_of"];
    const all = [...live, "canceled", "incomplete_expired"];
    expect(all.filter(livesOn)).toEqual(live);
  });
});

type InvoiceShape = {
  status: string;
  start: number;
  end: number;
  product?: string;
  amount?: number;
  intent?: string;
};

function invoice({ status, start, end, product = PRODUCT, amount = 999, intent }: InvoiceShape) {
  return {
    status,
    lines: {
      data: [{ amount, period: { start, end }, pricing: { price_details: { product } } }],
    },
    payments: {
      data: intent
        ? [{ status: "paid", payment: { type: "payment_intent", payment_intent: intent } }]
        : [],
    },
  } as unknown as Stripe.Invoice;
}

function charge(intent: string, more: Partial<Stripe.Charge> = {}): Stripe.Charge {
  return {
    id: `ch_${intent}`,
    payment_intent: intent,
    status: "succeeded",
    refunded: false,
    disputed: false,
    ...more,
  } as Stripe.Charge;
}

const january = { start: START, end: END };
const february = { start: END, end: END + 28 * DAY };
const noPayments = paymentsOf([]);

describe("the paid period of a subscription", () => {
  it.each(["draft", "open", "uncollectible", "void"])(
    "excludes a period whose invoice is %s",
    (status) => {
      const invoices = [invoice({ ...february, status }), invoice({ ...january, status: "paid" })];
      expect(coverageOf(invoices, noPayments, PRODUCTS).paidUntil).toBe(END);
      expect(coverageOf(invoices.slice(0, 1), noPayments, PRODUCTS).paidUntil).toBeNull();
    },
  );

  it("includes one paid outside Stripe, but no free one, which may be taken back", () => {
    const outside = invoice({ ...january, status: "paid" });
    expect(coverageOf([outside], noPayments, PRODUCTS)).toEqual({ paidUntil: END, revoked: null });
    const free = invoice({ ...january, status: "paid", amount: 0 });
    expect(coverageOf([free], noPayments, PRODUCTS).paidUntil).toBeNull();
  });

  it("is followed by free time as long as it is given", () => {
    const [item] = [membership({ status: "active" }).item];
    const free = (given: object, coverage: Coverage = { paidUntil: START, revoked: null }) =>
      withFreeTime(coverage, { metadata: {}, ...given } as Stripe.Subscription, item).paidUntil;
    const paused = { pause_collection: { behavior: "void" } };
    expect(free({})).toBe(START);
    expect(free({ trial_end: START + 5 })).toBe(START + 5);
    expect(free({ trial_end: START - 5 })).toBe(START);
    expect(free(paused)).toBe(END);
    expect(free({ ...paused, metadata: { paused_for_dispute: "du_1" } })).toBe(START);
    expect(free(paused, { paidUntil: START, revoked: "refund" })).toBe(START);
    item.price.unit_amount = 0;
    expect(free({})).toBe(END);
  });

  it("is revoked only by a full refund of the last period", () => {
    const invoices = [
      invoice({ ...february, status: "paid", intent: "pi_2" }),
      invoice({ ...january, status: "paid", intent: "pi_1" }),
    ];
    const revoked = (...charges: Stripe.Charge[]) =>
      coverageOf(invoices, paymentsOf(charges), PRODUCTS).revoked;
    expect(revoked(charge("pi_1"), charge("pi_2", { refunded: true }))).toBe("refund");
    expect(revoked(charge("pi_1"), charge("pi_2", { amount_refunded: 998 }))).toBeNull();
    expect(revoked(charge("pi_1", { refunded: true }), charge("pi_2"))).toBeNull();
    expect(
      revoked(charge("pi_2", { status: "failed", id: "ch_first_try", refunded: true })),
    ).toBeNull();
  });

  it("is not revoked if one of the period's two payments was kept", () => {
    const paid = [
      invoice({ ...january, status: "paid", intent: "pi_1" }),
      invoice({ ...january, status: "paid", intent: "pi_2" }),
    ];
    const [first, second] = paid;
    const paidInTwo = {
      ...first,
      payments: { data: paid.flatMap(({ payments }) => payments?.data ?? []) },
    } as Stripe.Invoice;
    const refunded = charge("pi_1", { refunded: true });
    const revoked = (invoices: (Stripe.Invoice | undefined)[], ...charges: Stripe.Charge[]) => {
      const known = invoices.filter((one) => one !== undefined);
      return coverageOf(known, paymentsOf(charges), PRODUCTS).revoked;
    };
    expect(revoked([paidInTwo], refunded, charge("pi_2"))).toBeNull();
    expect(revoked([first, second], refunded, charge("pi_2"))).toBeNull();
    expect(revoked([second, first], refunded, charge("pi_2"))).toBeNull();
    expect(revoked([paidInTwo], refunded, charge("pi_2", { refunded: true }))).toBe("refund");
  });

  it.each([
    ["needs_response", "dispute"],
    ["under_review", "dispute"],
    ["lost", "dispute"],
    ["a status of 2031", "dispute"],
    ["won", null],
    ["prevented", null],
    ["warning_needs_response", null],
    ["warning_under_review", null],
    ["warning_closed", null],
  ])("with a dispute of status %s is revoked: %s", (status, revoked) => {
    const dispute = { status } as Stripe.Dispute;
    const disputes = [{ dispute, chargeId: "ch_pi_1" }];
    const paid = [invoice({ ...january, status: "paid", intent: "pi_1" })];
    expect(coverageOf(paid, noPayments, PRODUCTS, disputes).revoked).toBe(revoked);
  });
});

describe("the newest invoice alone", () => {
  const item = membership({ status: "active" }).item;

  it("settles its period", () => {
    expect(settlesPeriod(invoice({ ...january, status: "paid" }), item, PRODUCTS)).toBe(true);
  });

  it.each([
    ["it is not paid", invoice({ ...january, status: "open" })],
    ["it is for something else", invoice({ ...january, status: "paid", product: "prod_book" })],
    ["it is for a shorter time", invoice({ status: "paid", start: START, end: START + DAY })],
    ["there is none", null],
  ])("settles nothing if %s", (_why, newest) => {
    expect(settlesPeriod(newest, item, PRODUCTS)).toBe(false);
  });
});
