import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { isSubscribed } from "./access";
import { billingStateOf, blockingSubscriptions } from "./subscription-state";

const PRICE = "price_ours";
const START = Date.UTC(2026, 0, 1) / 1000;
const END = Date.UTC(2026, 1, 1) / 1000;
const DAY = 24 * 60 * 60;

type Shape = {
  id?: string;
  status: string;
  price?: string;
  start?: number;
  end?: number;
  cancelAtPeriodEnd?: boolean;
  cancelAt?: number | null;
  invoice?: string;
};

function subscription(shape: Shape): Stripe.Subscription {
  return {
    id: shape.id ?? "sub_1",
    created: START,
    status: shape.status,
    cancel_at_period_end: shape.cancelAtPeriodEnd ?? false,
    cancel_at: shape.cancelAt ?? null,
    latest_invoice: { status: shape.invoice ?? "paid" },
    items: {
      data: [
        {
          price: { id: shape.price ?? PRICE },
          current_period_start: shape.start ?? START,
          current_period_end: shape.end ?? END,
        },
      ],
    },
  } as unknown as Stripe.Subscription;
}

const until = (seconds: number) => new Date(seconds * 1000);

describe("what a profile says of a customer's subscriptions", () => {
  it.each(["active", "trialing"])("gives access to the period's end while %s", (status) => {
    const state = billingStateOf([subscription({ status })], PRICE);
    expect(state).toMatchObject({ stripePriceId: PRICE, stripeCurrentPeriodEnd: until(END) });
  });

  it("gives a past-due member seven days from the start of the unpaid period", () => {
    const state = billingStateOf([subscription({ status: "past_due" })], PRICE);
    expect(state.stripeCurrentPeriodEnd).toEqual(until(START + 7 * DAY));
    expect(isSubscribed(state, until(START + 7 * DAY - 1))).toBe(true);
    expect(isSubscribed(state, until(START + 7 * DAY))).toBe(false);
  });

  it.each(["draft", "open"])(
    "gives no more than the grace while the renewal's invoice is still %s",
    (invoice) => {
      const state = billingStateOf([subscription({ status: "active", invoice })], PRICE);
      expect(state.stripeCurrentPeriodEnd).toEqual(until(START + 7 * DAY));
    },
  );

  it.each(["canceled", "unpaid", "paused", "incomplete", "incomplete_expired", "a status of 2031"])(
    "gives no access while %s",
    (status) => {
      const state = billingStateOf([subscription({ status })], PRICE);
      expect(state).toMatchObject({ stripePriceId: null, stripeCurrentPeriodEnd: null });
      expect(state.stripeSubscriptionStatus).toBe(status);
    },
  );

  it("gives no access for another price than ours", () => {
    const state = billingStateOf([subscription({ status: "active", price: "price_other" })], PRICE);
    expect(state).toMatchObject({ stripePriceId: null, stripeSubscriptionId: null });
  });

  it("lets the living subscription count over a dead one, whichever came first", () => {
    const dead = subscription({ id: "sub_dead", status: "canceled", end: END + 90 * DAY });
    const live = subscription({ id: "sub_live", status: "active" });
    for (const order of [
      [dead, live],
      [live, dead],
    ]) {
      expect(billingStateOf(order, PRICE).stripeSubscriptionId).toBe("sub_live");
    }
  });

  it("prefers active to trialing to past due", () => {
    const all = ["past_due", "trialing", "active"].map((status) =>
      subscription({ id: `sub_${status}`, status }),
    );
    expect(billingStateOf(all, PRICE).stripeSubscriptionId).toBe("sub_active");
    expect(billingStateOf(all.slice(0, 2), PRICE).stripeSubscriptionId).toBe("sub_trialing");
  });

  it("ends access on the day a cancellation is set for", () => {
    const state = billingStateOf(
      [subscription({ status: "active", cancelAt: START + 3 * DAY })],
      PRICE,
    );
    expect(state.stripeCurrentPeriodEnd).toEqual(until(START + 3 * DAY));
    expect(state.stripeCancelAtPeriodEnd).toBe(true);
  });
});

describe("who may check out", () => {
  it.each(["active", "trialing", "past_due", "unpaid", "paused", "incomplete", "unheard_of"])(
    "keeps somebody whose subscription is %s from buying another",
    (status) => {
      expect(blockingSubscriptions([subscription({ status })])).toHaveLength(1);
    },
  );

  it.each(["canceled", "incomplete_expired"])(
    "lets a former member with a %s one buy",
    (status) => {
      expect(blockingSubscriptions([subscription({ status })])).toHaveLength(0);
    },
  );
});
