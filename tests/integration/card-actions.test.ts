import Stripe from "stripe";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newCardOf, switchToNewCard } from "~/features/billing/card-actions.server";
import type { CustomerBilling } from "~/features/billing/customer-billing.server";
import { type RecordingStripe, startRecordingStripe } from "../support/recording-stripe";

let stripe: RecordingStripe;
beforeAll(async () => {
  stripe = await startRecordingStripe();
});
afterAll(() => stripe.close());
beforeEach(() => {
  stripe.reset();
  stripe.answers["/payment_methods/pm_old"] = { status: 200, fields: { created: 100 } };
  stripe.answers["/payment_methods/pm_new"] = { status: 200, fields: { created: 200 } };
});

const OLD = "pm_old";
const NEW = "pm_new";

type Facts = {
  /** The card that the subscription is pinned to, and the customer's default. */
  pinned?: string | null;
  chosen?: string | null;
  customer?: unknown;
  tried?: string;
  owes?: boolean;
  status?: string;
  pauseCollection?: unknown;
  revoked?: string | null;
  confirmation?: { url: string; paymentMethod: string | null };
};

function membership(facts: Facts = {}) {
  const { pinned = null, chosen = null, tried, owes = false, revoked = null } = facts;
  const subscription = {
    id: "sub_1",
    status: facts.status ?? "past_due",
    pause_collection: facts.pauseCollection ?? null,
    metadata: tried ? { tried_payment_method: tried } : {},
    default_payment_method: pinned,
    customer: facts.customer ?? { invoice_settings: { default_payment_method: chosen } },
    latest_invoice: "in_1",
  };
  const invoice = {
    id: "in_1",
    status: owes ? "open" : "paid",
    attempted: true,
    auto_advance: true,
    collection_method: "charge_automatically",
  };
  const { confirmation = null } = facts;
  return { subscription, invoices: [invoice], coverage: { revoked }, confirmation };
}

function billing(
  memberships: ReturnType<typeof membership>[],
  { failed = [] as string[], isPaymentPending = false } = {},
) {
  return {
    memberships,
    failedPaymentMethods: new Set(failed),
    isPaymentPending,
  } as unknown as CustomerBilling;
}

const changes = () => stripe.calls.filter((call) => !call.startsWith("GET "));

const SWITCH = "POST /v1/subscriptions/sub_1 default_payment_method=";
const TRY = (card: string) => `POST /v1/subscriptions/sub_1 metadata[tried_payment_method]=${card}`;
const PAY = "POST /v1/invoices/in_1/pay";

describe("a membership is switched to the card added last", () => {
  it("when Checkout has pinned an older one", async () => {
    const state = billing([membership({ pinned: OLD, chosen: NEW })]);
    expect(await switchToNewCard(state)).toBe(true);
    expect(changes()).toEqual([SWITCH]);
  });

  it("and charged what it owes, once", async () => {
    const facts = { pinned: OLD, chosen: NEW, owes: true };
    expect(await switchToNewCard(billing([membership(facts)]))).toBe(true);
    expect(changes()).toEqual([`${SWITCH}&metadata[tried_payment_method]=pm_new`, PAY]);

    stripe.calls = [];
    const tried = membership({ chosen: NEW, owes: true, tried: "pm_new" });
    expect(await switchToNewCard(billing([tried]))).toBe(false);
    expect(changes()).toEqual([]);
  });

  it("even if a payment with the new card has failed or is pending, but is not charged again", async () => {
    const facts = { pinned: OLD, chosen: NEW, owes: true };
    await switchToNewCard(billing([membership(facts)], { failed: ["pm_new"] }));
    await switchToNewCard(billing([membership(facts)], { isPaymentPending: true }));
    await switchToNewCard(billing([membership({ ...facts, tried: "pm_new" })]));
    expect(changes()).toEqual([SWITCH, SWITCH, SWITCH]);
  });

  it.each<[string, Facts]>([
    ["the one that is pinned", { pinned: NEW, chosen: NEW }],
    ["not there", { pinned: OLD, chosen: null }],
    ["of a deleted customer", { pinned: OLD, customer: { deleted: true } }],
  ])("but not where the customer's card is %s", async (_which, facts) => {
    expect(await switchToNewCard(billing([membership(facts)]))).toBe(false);
    expect(changes()).toEqual([]);
  });

  it.each<[string, Facts]>([
    ["is over", { status: "canceled" }],
    ["has its collection paused", { pauseCollection: { behavior: "void" } }],
    ["was revoked", { revoked: "dispute" }],
  ])("unless it %s", async (_what, facts) => {
    const state = billing([membership({ pinned: OLD, chosen: NEW, owes: true, ...facts })]);
    expect(await switchToNewCard(state)).toBe(false);
    expect(newCardOf(state)).toBeNull();
    expect(changes()).toEqual([]);
  });
});

describe("a membership's open invoice is charged to its card", () => {
  it("the pinned one, or else the customer's", async () => {
    await switchToNewCard(billing([membership({ pinned: OLD, owes: true })]));
    await switchToNewCard(billing([membership({ chosen: NEW, owes: true })]));
    await switchToNewCard(billing([membership({ pinned: NEW, chosen: OLD, owes: true })]));
    expect(changes()).toEqual([TRY("pm_old"), PAY, TRY("pm_new"), PAY, TRY("pm_new"), PAY]);
  });

  it("but not without a card, nor if nothing is owed", async () => {
    expect(await switchToNewCard(billing([membership({ owes: true })]))).toBe(false);
    expect(await switchToNewCard(billing([membership({ pinned: OLD })]))).toBe(false);
    expect(changes()).toEqual([]);
  });

  it("but not to the card whose payment its holder has to confirm", async () => {
    const confirmation = { url: "https://stripe.test", paymentMethod: "pm_old" };
    const facts = { pinned: OLD, owes: true, confirmation };
    expect(await switchToNewCard(billing([membership(facts)]))).toBe(false);
    await switchToNewCard(billing([membership({ ...facts, chosen: NEW })]));
    expect(changes()).toEqual([`${SWITCH}&metadata[tried_payment_method]=pm_new`, PAY]);
  });

  it("and a declined card, or an invoice paid meanwhile, is no failure", async () => {
    stripe.answers["/pay"] = {
      status: 402,
      error: { type: "card_error", code: "card_declined", message: "No" },
    };
    expect(await switchToNewCard(billing([membership({ pinned: OLD, owes: true })]))).toBe(true);
    stripe.answers["/pay"] = {
      status: 400,
      error: { type: "invalid_request_error", message: "Already paid" },
    };
    expect(await switchToNewCard(billing([membership({ pinned: OLD, owes: true })]))).toBe(true);
  });

  it("and any other failure is thrown", async () => {
    stripe.answers["/pay"] = { status: 500, error: { type: "api_error", message: "Out of order" } };
    await expect(
      switchToNewCard(billing([membership({ pinned: OLD, owes: true })])),
    ).rejects.toThrow(Stripe.errors.StripeAPIError);
  });
});

describe("a new card is being tried", () => {
  const trying = { pinned: NEW, owes: true, tried: "pm_new" };

  it("while its invoice is open, and no payment has failed", () => {
    expect(newCardOf(billing([membership(trying)]))).toBe("trying");
    expect(newCardOf(billing([membership(trying)], { failed: ["pm_old"] }))).toBe("trying");
    expect(newCardOf(billing([membership(), membership(trying)]))).toBe("trying");
  });

  it.each<[string, Facts]>([
    ["nothing is owed", { owes: false }],
    ["another card was tried", { tried: "pm_old" }],
    ["none was tried", { tried: "" }],
    ["there is no card", { pinned: null }],
    ["its holder has to confirm", { confirmation: { url: "", paymentMethod: "pm_new" } }],
  ])("but not when %s", (_what, facts) => {
    expect(newCardOf(billing([membership({ ...trying, ...facts })]))).toBeNull();
  });

  it("until its payment has failed", () => {
    expect(newCardOf(billing([membership(trying)], { failed: ["pm_new"] }))).toBe("declined");
    expect(newCardOf(billing([]))).toBeNull();
  });
});
