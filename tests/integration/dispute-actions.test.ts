import type Stripe from "stripe";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ExaminedMembership } from "~/features/billing/customer-billing.server";
import { applyDisputeActions, type DisputeAction } from "~/features/billing/dispute-actions.server";
import { type RecordingStripe, startRecordingStripe } from "../support/recording-stripe";

let stripe: RecordingStripe;
beforeAll(async () => {
  stripe = await startRecordingStripe();
});
afterAll(() => stripe.close());
beforeEach(() => stripe.reset());

type Facts = {
  status?: string;
  /** What its collection was paused for, if it is paused. */
  pausedFor?: string | null;
  withdrawn?: "dispute" | "refund" | null;
  disputes?: { id: string; status: string; charge: string }[];
  invoices?: Partial<Stripe.Invoice>[];
};

function membership({ pausedFor, disputes = [], invoices = [], ...facts }: Facts) {
  return {
    subscription: {
      id: "sub_1",
      status: facts.status ?? "active",
      pause_collection: pausedFor === undefined ? null : { behavior: "void" },
      metadata: pausedFor ? { paused_for_dispute: pausedFor } : {},
    },
    disputes: disputes.map(({ charge, ...dispute }) => ({ dispute, chargeId: charge })),
    coverage: { withdrawn: facts.withdrawn ?? null },
    invoices,
  } as unknown as ExaminedMembership;
}

async function actionsOn(...memberships: ExaminedMembership[]) {
  const actions: DisputeAction[] = [];
  await applyDisputeActions(memberships, async (action) => void actions.push(action));
  return actions;
}

const open = { id: "dp_1", status: "needs_response", charge: "ch_1" };
const won = { id: "dp_1", status: "won", charge: "ch_1" };
const lost = { id: "dp_2", status: "lost", charge: "ch_2" };

describe("while a payment is disputed", () => {
  it("collection is paused, and noted for which dispute", async () => {
    expect(
      await actionsOn(
        membership({ withdrawn: "dispute", disputes: [won, { ...open, id: "dp_3" }] }),
      ),
    ).toEqual([
      {
        kind: "dispute-opened",
        subscriptionId: "sub_1",
        chargeId: "ch_1",
        dispute: { id: "dp_3", status: "needs_response" },
      },
    ]);
    expect(stripe.calls).toEqual([
      "POST /v1/subscriptions/sub_1 pause_collection[behavior]=void&metadata[paused_for_dispute]=dp_3",
    ]);
  });

  it("each invoice that Stripe would collect is stopped, and no other", async () => {
    const invoices = [
      { id: "in_draft", status: "draft", auto_advance: true },
      { id: "in_open", status: "open", auto_advance: true },
      { id: "in_stopped", status: "open", auto_advance: false },
      { id: "in_paid", status: "paid", auto_advance: true },
      { id: "in_void", status: "void", auto_advance: true },
    ] as const;
    await actionsOn(
      membership({ withdrawn: "dispute", disputes: [open], invoices: [...invoices] }),
    );
    expect(stripe.calls.slice(0, -1)).toEqual([
      "POST /v1/invoices/in_draft auto_advance=false&metadata[paused_for_dispute]=true",
      "POST /v1/invoices/in_open auto_advance=false&metadata[paused_for_dispute]=true",
    ]);
  });

  it("nothing is done again, nor where the author has paused it", async () => {
    const disputed = { withdrawn: "dispute", disputes: [open] } as const;
    const facts = { ...disputed, disputes: [...disputed.disputes] };
    expect(await actionsOn(membership({ ...facts, pausedFor: "dp_1" }))).toEqual([]);
    expect(await actionsOn(membership({ ...facts, pausedFor: null }))).toEqual([]);
    expect(stripe.calls).toEqual([]);
  });
});

describe("once a dispute is won", () => {
  it("collection resumes, of the subscription and of what was stopped for the dispute", async () => {
    const stopped = { metadata: { paused_for_dispute: "true" } };
    const invoices = [
      { id: "in_draft", status: "draft", ...stopped },
      { id: "in_open", status: "open", ...stopped },
      { id: "in_own", status: "open", metadata: {} },
      { id: "in_bare", status: "open", metadata: null },
      { id: "in_paid", status: "paid", ...stopped },
    ] as unknown as Stripe.Invoice[];
    expect(await actionsOn(membership({ pausedFor: "dp_1", disputes: [won], invoices }))).toEqual([
      {
        kind: "dispute-won",
        subscriptionId: "sub_1",
        chargeId: "ch_1",
        dispute: { id: "dp_1", status: "won" },
      },
    ]);
    expect(stripe.calls).toEqual([
      "POST /v1/invoices/in_draft auto_advance=true&metadata[paused_for_dispute]=",
      "POST /v1/invoices/in_open auto_advance=true&metadata[paused_for_dispute]=",
      "POST /v1/subscriptions/sub_1 pause_collection=&metadata[paused_for_dispute]=",
    ]);
  });

  it("what the author has paused stays paused, and what is not paused is left alone", async () => {
    expect(await actionsOn(membership({ pausedFor: null, disputes: [won] }))).toEqual([]);
    expect(await actionsOn(membership({ disputes: [won] }))).toEqual([]);
    expect(await actionsOn(membership({ withdrawn: "refund" }))).toEqual([]);
    expect(stripe.calls).toEqual([]);
  });
});

describe("once a dispute is lost", () => {
  it("the subscription is cancelled, without a last invoice", async () => {
    const disputed = membership({
      withdrawn: "dispute",
      pausedFor: "dp_2",
      disputes: [open, lost],
    });
    expect(await actionsOn(disputed)).toEqual([
      {
        kind: "dispute-lost",
        subscriptionId: "sub_1",
        chargeId: "ch_2",
        dispute: { id: "dp_2", status: "lost" },
      },
    ]);
    expect(stripe.calls).toEqual([
      "DELETE /v1/subscriptions/sub_1?prorate=false&invoice_now=false",
    ]);
  });

  it.each(["canceled", "incomplete_expired"])("one that is %s is left alone", async (status) => {
    expect(await actionsOn(membership({ status, disputes: [lost] }))).toEqual([]);
    expect(stripe.calls).toEqual([]);
  });
});
