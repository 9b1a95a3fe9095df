import type Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordDispute } from "~/features/billing/dispute-matters.server";
import { findOpenMatters, updateMatter } from "~db/queries/operator-matters";
import { openTestSite, type TestSite } from "../support/site";

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite();
});
afterAll(() => site.close());

let count = 0;

/** A dispute at Stripe that waits for the author's answer until 12 December 2026, 00:00 UTC. */
function newDispute(more: Record<string, unknown> = {}): Stripe.Dispute {
  return {
    id: `dp_${++count}`,
    charge: "ch_1",
    status: "needs_response",
    evidence_details: { due_by: 1_797_033_600 },
    ...more,
  } as unknown as Stripe.Dispute;
}

const mattersOf = async ({ id }: Stripe.Dispute) =>
  (await findOpenMatters()).filter(({ key }) => key === `dispute:${id}`);

const MORNING = new Date("2026-12-01T08:00:00Z");
const NOON = new Date("2026-12-01T12:00:00Z");
const EVENING = new Date("2026-12-01T18:00:00Z");

describe("the operator's matter of a dispute", () => {
  it("says what is disputed and until when to answer, and is told of at once", async () => {
    const dispute = newDispute();
    await recordDispute(dispute, NOON);
    expect(await mattersOf(dispute)).toMatchObject([
      {
        kind: "dispute",
        facts: { dispute: dispute.id, charge: "ch_1", dueBy: "2026-12-12T00:00:00.000Z" },
        openedAt: NOON,
        seenAt: NOON,
        reportDueAt: NOON,
      },
    ]);
    expect((await mattersOf(dispute))[0]?.facts).not.toHaveProperty("outcome");
  });

  it("names the charge where Stripe has put the whole of it, and no deadline where there is none", async () => {
    const dispute = newDispute({ charge: { id: "ch_2" }, evidence_details: { due_by: null } });
    await recordDispute(dispute, NOON);
    const [matter] = await mattersOf(dispute);
    expect(matter?.facts).toEqual({ dispute: dispute.id, charge: "ch_2" });

    const bare = newDispute({ charge: null, evidence_details: undefined });
    await recordDispute(bare, NOON);
    expect((await mattersOf(bare))[0]?.facts).toEqual({ dispute: bare.id, charge: "" });
  });

  it.each(["needs_response", "under_review", "warning_needs_response", "warning_under_review"])(
    "is opened by the status %s",
    async (status) => {
      const dispute = newDispute({ status });
      await recordDispute(dispute, NOON);
      expect((await mattersOf(dispute))[0]?.facts).not.toHaveProperty("outcome");
    },
  );

  it.each(["won", "lost", "warning_closed", "prevented"])(
    "is not opened by the status %s, but ended by it",
    async (status) => {
      const over = newDispute({ status });
      await recordDispute(over, NOON);
      expect(await mattersOf(over)).toEqual([]);

      const dispute = newDispute();
      await recordDispute(dispute, NOON);
      await recordDispute({ ...dispute, status } as Stripe.Dispute, EVENING);
      expect(await mattersOf(dispute)).toMatchObject([
        { facts: { dispute: dispute.id, outcome: status }, openedAt: NOON, seenAt: EVENING },
      ]);
    },
  );

  it("is one, however often the dispute is read", async () => {
    const dispute = newDispute();
    await recordDispute(dispute, NOON);
    await recordDispute(dispute, NOON);
    await recordDispute({ ...dispute, status: "under_review" } as Stripe.Dispute, EVENING);
    expect(await mattersOf(dispute)).toMatchObject([{ openedAt: NOON, seenAt: EVENING }]);
  });

  it("is not opened again by a reading from before it was cleared, only by a later one", async () => {
    const dispute = newDispute();
    await recordDispute(dispute, MORNING);
    const [matter] = await mattersOf(dispute);
    await updateMatter(matter?.id ?? "", { clearedAt: NOON });

    await recordDispute(dispute, MORNING);
    expect(await mattersOf(dispute)).toEqual([]);
    await recordDispute(dispute, EVENING);
    expect(await mattersOf(dispute)).toMatchObject([{ openedAt: EVENING }]);
  });
});
