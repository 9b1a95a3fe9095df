import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import type { ExaminedMembership } from "./customer-billing.server";
import { type MembershipFact, membershipFacts } from "./membership-facts";
import { billingStateOf, NO_MEMBERSHIP } from "./subscription-state";

const HOUR = 60 * 60;
const DAY = 24 * HOUR;
/** The first payment, in seconds since 1970. All other times are relative to it. */
const START = Date.UTC(2026, 5, 1) / 1_000;
const PERIOD = 30 * DAY;

const at = (seconds: number) => new Date((START + seconds) * 1_000);

type Shape = {
  id?: string;
  status?: string;
  /** Start of its current period. */
  period?: number;
  /** Time of purchase, before the first payment. */
  bought?: number;
  /** `at` is null if Stripe does not report it. */
  canceled?: { at: number | null; end: number };
  ended?: number;
  revoked?: "refund" | "dispute";
  refunded?: number;
  paused?: boolean;
  invoice?: Partial<Stripe.Invoice>;
  isPaid?: boolean;
  /** End of the last paid period, if not the current one's. */
  paidUntil?: number;
};

/** Returns a membership, by default paid at the start of its period. */
function membership(shape: Shape = {}): ExaminedMembership {
  const { id = "sub_1", status = "active", period = 0, bought = 0, canceled, ended } = shape;
  const isPaid = shape.isPaid ?? shape.invoice === undefined;
  const canceledAt = canceled ? canceled.at : ended;
  const end = START + period + PERIOD;
  const item = {
    price: { id: "price_1", product: "prod_1" },
    current_period_start: START + period,
    current_period_end: end,
  } as Stripe.SubscriptionItem;
  const invoice = {
    id: `in_${id}_${period}`,
    status: "paid",
    billing_reason: period === 0 ? "subscription_create" : "subscription_cycle",
    created: START + period,
    currency: "usd",
    amount_remaining: 999,
    attempted: true,
    auto_advance: true,
    collection_method: "charge_automatically",
    status_transitions: { finalized_at: START + period + HOUR, paid_at: START + period },
    ...shape.invoice,
  } as Stripe.Invoice;
  const subscription = {
    id,
    status,
    created: START + bought,
    cancel_at: canceled ? START + canceled.end : null,
    cancel_at_period_end: false,
    canceled_at: canceledAt === undefined || canceledAt === null ? null : START + canceledAt,
    ended_at: ended === undefined ? null : START + ended,
    pause_collection: shape.paused ? { behavior: "void" } : null,
    latest_invoice: invoice.id,
    items: { data: [item] },
  } as unknown as Stripe.Subscription;
  const isOver = status === "canceled" || status === "incomplete_expired";
  const refund =
    shape.refunded === undefined
      ? null
      : { chargeId: `ch_${invoice.id}`, amount: 999, currency: "usd", at: at(shape.refunded) };
  return {
    subscription,
    item,
    disputes: [],
    confirmation: null,
    invoices: [invoice],
    refund,
    coverage: isOver
      ? { paidUntil: null, revoked: null }
      : {
          paidUntil: isPaid ? end : START + (shape.paidUntil ?? period),
          revoked: shape.revoked ?? null,
        },
  };
}

type Sync = { now: number; shapes?: Shape[]; isUnfinished?: boolean };

/** Returns each sync's new facts, for consecutive syncs. Each key appears once, as the database ensures. */
function tell(...syncs: Sync[]): MembershipFact[][] {
  let row = NO_MEMBERSHIP;
  const keys = new Set<string>();
  return syncs.map(({ now, shapes = [{}], isUnfinished = false }) => {
    const memberships = shapes.map(membership);
    const state = billingStateOf(memberships);
    const facts = membershipFacts(row, { state, memberships, at: at(now), isUnfinished });
    row = state;
    return facts.filter(({ key }) => !keys.has(key) && keys.add(key));
  });
}

const kinds = (...syncs: Sync[]) => tell(...syncs).map((facts) => facts.map(({ kind }) => kind));

/** Returns the last sync's only fact. */
function last(...syncs: Sync[]): MembershipFact {
  const [fact, ...others] = tell(...syncs).at(-1) ?? [];
  expect(others).toEqual([]);
  if (!fact) throw new Error("Nothing was told.");
  return fact;
}

const BOUGHT: Sync = { now: 60 };
const UNPAID: Shape = {
  status: "past_due",
  period: PERIOD,
  invoice: { status: "open", id: "in_2" },
};
const CANCELLED: Shape = { canceled: { at: DAY, end: PERIOD } };
const ENDED: Shape = { status: "canceled", ended: DAY };
const REFUNDED: Shape = { revoked: "refund", refunded: DAY };

describe("the start of a membership", () => {
  it("is reported once, with the next payment", () => {
    expect(last(BOUGHT)).toEqual({
      kind: "begun",
      key: "begun:sub_1",
      at: at(0),
      renewsAt: at(PERIOD),
    });
    expect(kinds(BOUGHT, BOUGHT, { now: PERIOD + 60, shapes: [{ period: PERIOD }] })).toEqual([
      ["begun"],
      [],
      [],
    ]);
  });

  it("is reported once it is paid, even days after the purchase", () => {
    expect(
      kinds(
        { now: -4 * DAY, shapes: [{ status: "incomplete", bought: -5 * DAY, isPaid: false }] },
        { now: 60, shapes: [{ bought: -5 * DAY }] },
      ),
    ).toEqual([[], ["begun"]]);
  });

  it("is not reported if it is old, whatever the row's state", () => {
    const restored = { now: 3 * DAY + 1 };
    expect(kinds(restored)).toEqual([[]]);
    expect(kinds({ now: 3 * DAY })).toEqual([["begun"]]);
    const renewed = { now: PERIOD + 60, shapes: [{ period: PERIOD }] };
    expect(kinds(renewed)).toEqual([[]]);
    // access is restored
    const unpaid = { ...UNPAID, status: "unpaid" };
    expect(kinds({ now: 2 * PERIOD, shapes: [unpaid] }, renewed)).toEqual([[], []]);
  });

  it("is not reported if the row already has it", () => {
    const state = billingStateOf([membership()]);
    const snapshot = { state, memberships: [membership()], at: at(60), isUnfinished: false };
    expect(membershipFacts(state, snapshot)).toEqual([]);
  });
});

describe("a failed renewal", () => {
  const failed = { now: PERIOD + 2 * HOUR, shapes: [UNPAID] };

  it("is reported with the amount owed and the end of access", () => {
    expect(last(BOUGHT, failed)).toEqual({
      kind: "renewal-failed",
      confirmUrl: null,
      key: "renewal-failed:in_2",
      at: at(PERIOD + HOUR),
      amount: { unitAmount: 999, currency: "usd" },
      accessUntil: at(PERIOD + 15 * DAY),
    });
    const unpaid = { ...failed, shapes: [{ ...UNPAID, status: "unpaid" }] };
    expect(last(BOUGHT, unpaid)).toMatchObject({ accessUntil: null });
  });

  it("is reported once per invoice, however often it is retried", () => {
    const next = {
      ...UNPAID,
      period: 2 * PERIOD,
      invoice: { status: "open" as const, id: "in_3" },
    };
    expect(
      kinds(
        BOUGHT,
        failed,
        { ...failed, now: failed.now + DAY },
        { now: 2 * PERIOD, shapes: [next] },
      ),
    ).toEqual([["begun"], ["renewal-failed"], [], ["renewal-failed"]]);
  });

  it.each<[string, Shape]>([
    ["is a draft", { ...UNPAID, invoice: { status: "draft", attempted: false } }],
    ["was paid in the same sync", { period: PERIOD }],
    ["was not tried", { ...UNPAID, invoice: { status: "open", attempted: false } }],
    ["is not collected any more", { ...UNPAID, invoice: { status: "open", auto_advance: false } }],
    ["is for something else", { ...UNPAID, invoice: { status: "open", billing_reason: "manual" } }],
    [
      "is the first one",
      { ...UNPAID, invoice: { status: "open", billing_reason: "subscription_create" } },
    ],
    ["is of a paused membership", { ...UNPAID, paused: true }],
    ["is of a disputed membership", { ...UNPAID, revoked: "dispute" }],
    ["is of a membership that is over", { ...UNPAID, status: "canceled" }],
  ])("is not reported if the invoice %s", (_why, shape) => {
    const [, told] = kinds(BOUGHT, { now: PERIOD + 2 * HOUR, shapes: [shape] });
    expect(told).not.toContain("renewal-failed");
  });

  it("waits for the next sync if it may have been paid meanwhile", () => {
    expect(kinds(BOUGHT, { ...failed, isUnfinished: true }, failed)).toEqual([
      ["begun"],
      [],
      ["renewal-failed"],
    ]);
  });

  it("is not reported if it is old or the membership was linked again", () => {
    const late = { ...failed, now: PERIOD + HOUR + 3 * DAY + 1 };
    expect(kinds(BOUGHT, late)).toEqual([["begun"], []]);
    expect(kinds(failed)).toEqual([[]]);
  });
});

describe("a cancellation", () => {
  const canceled = { now: DAY + 60, shapes: [CANCELLED] };

  it("is reported, with the end of the membership", () => {
    expect(last(BOUGHT, canceled)).toEqual({
      kind: "cancelled",
      key: `cancelled:sub_1:${START + DAY}`,
      at: at(DAY),
      status: { kind: "ends", at: at(PERIOD).toISOString() },
    });
  });

  it("is reported again only after a resumption, which is not reported", () => {
    const again = { now: 2 * DAY, shapes: [{ canceled: { at: 2 * DAY, end: PERIOD } }] };
    // Stripe counts any update of a cancellation as the cancellation
    expect(kinds(BOUGHT, canceled, again)).toEqual([["begun"], ["cancelled"], []]);
    expect(kinds(BOUGHT, canceled, { now: DAY + 120 }, again)).toEqual([
      ["begun"],
      ["cancelled"],
      [],
      ["cancelled"],
    ]);
  });

  it("says so if charges continue or there is a problem", () => {
    const far = { canceled: { at: DAY, end: 3 * PERIOD } };
    expect(last(BOUGHT, { now: DAY, shapes: [far] })).toMatchObject({
      status: { kind: "renews-until" },
    });
    const owed = { ...UNPAID, canceled: { at: PERIOD + 3 * HOUR, end: 2 * PERIOD } };
    const unpaid = { now: PERIOD + 2 * HOUR, shapes: [UNPAID] };
    expect(last(BOUGHT, unpaid, { now: PERIOD + 4 * HOUR, shapes: [owed] })).toMatchObject({
      kind: "cancelled",
      status: { kind: "ends-with-problem" },
    });
  });

  it("is not reported if it is old, with another running membership, or after re-linking", () => {
    expect(kinds(BOUGHT, { ...canceled, now: 4 * DAY + 1 })[1]).toEqual([]);
    const another = { id: "sub_2", status: "past_due", isPaid: false };
    expect(kinds(BOUGHT, { ...canceled, shapes: [CANCELLED, another] })[1]).toEqual([]);
    const old = { period: PERIOD, canceled: { at: PERIOD + DAY, end: 2 * PERIOD } };
    expect(kinds({ now: PERIOD + DAY, shapes: [old] })).toEqual([[]]);
  });

  it("is reported only as an end if the membership ends at once", () => {
    const shape = { ...CANCELLED, ...ENDED };
    expect(kinds(BOUGHT, { now: DAY, shapes: [shape] })[1]).toEqual(["ended"]);
  });
});

describe("the end of a membership", () => {
  it("is reported once", () => {
    const ended = { now: DAY + 60, shapes: [ENDED] };
    expect(last(BOUGHT, ended)).toEqual({ kind: "ended", key: "ended:sub_1", at: at(DAY) });
    expect(kinds(BOUGHT, ended, ended)).toEqual([["begun"], ["ended"], []]);
  });

  it("is not reported with another running membership", () => {
    const another = { id: "sub_2" };
    expect(kinds(BOUGHT, { now: DAY, shapes: [ENDED, another] })[1]).toEqual(["begun"]);
    const abandoned = { id: "sub_2", status: "incomplete", isPaid: false };
    expect(kinds(BOUGHT, { now: DAY, shapes: [ENDED, abandoned] })[1]).toEqual(["ended"]);
  });

  it("is not reported for an unpaid checkout, or if it is old", () => {
    const unpaid = { status: "incomplete", isPaid: false };
    for (const status of ["canceled", "incomplete_expired"]) {
      const ended = { ...ENDED, status, isPaid: false };
      expect(kinds({ now: 0, shapes: [unpaid] }, { now: DAY, shapes: [ended] })).toEqual([[], []]);
    }
    expect(kinds(BOUGHT, { now: 4 * DAY + 1, shapes: [ENDED] })[1]).toEqual([]);
    expect(kinds({ now: DAY, shapes: [ENDED] })).toEqual([[]]);
  });
});

describe("a refund", () => {
  const refunded = { now: DAY + 60, shapes: [REFUNDED] };

  it("is reported, with how the membership continues", () => {
    expect(last(BOUGHT, refunded)).toEqual({
      kind: "refunded",
      key: "refunded:ch_in_sub_1_0",
      at: at(DAY),
      amount: { unitAmount: 999, currency: "usd" },
      status: { kind: "renews" },
    });
    const canceledBefore = { now: DAY - 60, shapes: [{ canceled: { at: 120, end: PERIOD } }] };
    const both = { ...REFUNDED, canceled: { at: 120, end: PERIOD } };
    expect(last(BOUGHT, canceledBefore, { now: DAY + 60, shapes: [both] })).toMatchObject({
      status: { kind: "ends", at: at(PERIOD) },
    });
    const far = { ...REFUNDED, canceled: { at: 120, end: 2 * PERIOD } };
    const farBefore = { now: DAY - 60, shapes: [{ canceled: far.canceled }] };
    expect(last(BOUGHT, farBefore, { now: DAY + 60, shapes: [far] })).toMatchObject({
      status: { kind: "renews" },
    });
  });

  it("includes the end if both are new; reports a later end separately", () => {
    const both = { now: DAY + 60, shapes: [{ ...ENDED, refunded: DAY }] };
    expect(last(BOUGHT, both)).toMatchObject({ kind: "refunded", status: { kind: "ended" } });
    expect(kinds(BOUGHT, refunded, both, both)).toEqual([["begun"], ["refunded"], ["ended"], []]);
    const ended = { now: DAY + 60, shapes: [ENDED] };
    expect(kinds(BOUGHT, ended, both, both)).toEqual([["begun"], ["ended"], ["refunded"], []]);
  });

  it("is not reported if it is old, or with another running membership", () => {
    expect(kinds(BOUGHT, { ...refunded, now: 4 * DAY + 1 })[1]).toEqual([]);
    const another = { id: "sub_2", status: "unpaid", isPaid: false };
    expect(kinds(BOUGHT, { now: DAY, shapes: [REFUNDED, another] })[1]).toEqual(["twice"]);
    const surplus = { ...REFUNDED, id: "sub_2" };
    expect(kinds(BOUGHT, { now: DAY, shapes: [{}, surplus] })[1]).toEqual(["twice"]);
  });

  it("is not reported for a payment that is also disputed", () => {
    const both = { ...REFUNDED, revoked: "dispute" as const };
    expect(kinds(BOUGHT, { now: DAY, shapes: [both] })[1]).toEqual([]);
  });
});

it("reports only the end of a lost dispute", () => {
  expect(
    kinds(
      BOUGHT,
      { now: DAY, shapes: [{ revoked: "dispute" }] },
      { now: DAY + 60, shapes: [ENDED] },
    ),
  ).toEqual([["begun"], [], ["ended"]]);
  expect(kinds(BOUGHT, { now: DAY, shapes: [{ revoked: "dispute" }] }, BOUGHT)[2]).toEqual([]);
});
