import { sql } from "drizzle-orm";
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { recordDispute } from "~/features/billing/dispute-alerts.server";
import { getDatabase } from "~db/client";
import { findOpenAlerts } from "~db/queries/operator-alerts";
import { testSite } from "../support/site";

testSite();

let count = 0;

/** A dispute at Stripe that waits for the author's response until 12 December 2026, 00:00 UTC. */
function newDispute(more: Record<string, unknown> = {}): Stripe.Dispute {
  return {
    id: `dp_${++count}`,
    charge: "ch_1",
    status: "needs_response",
    evidence_details: { due_by: 1_797_033_600 },
    ...more,
  } as unknown as Stripe.Dispute;
}

const alertsOf = async ({ id }: Stripe.Dispute) =>
  (await findOpenAlerts()).filter(({ key }) => key === `dispute:${id}`);

const NOON = new Date("2026-12-01T12:00:00Z");
const EVENING = new Date("2026-12-01T18:00:00Z");

describe("the alert of a dispute", () => {
  it("states the payment and the deadline, and is reported at once", async () => {
    const dispute = newDispute();
    await recordDispute(dispute, NOON);
    expect(await alertsOf(dispute)).toMatchObject([
      {
        kind: "dispute",
        facts: { dispute: dispute.id, charge: "ch_1", dueBy: "2026-12-12T00:00:00.000Z" },
        openedAt: NOON,
        seenAt: NOON,
        reportDueAt: NOON,
      },
    ]);
    expect((await alertsOf(dispute))[0]?.facts).not.toHaveProperty("outcome");
  });

  it("is opened by a bank debit that was taken back, once", async () => {
    const lost = newDispute({ status: "lost" });
    await recordDispute(lost, NOON);
    expect(await alertsOf(lost)).toMatchObject([{ facts: { outcome: "lost" } }]);
    await getDatabase().db.execute(
      sql`update operator_matters set cleared_at = ${NOON.toISOString()}`,
    );
    await recordDispute(lost, EVENING);
    expect(await alertsOf(lost)).toEqual([]);
  });

  it.each(["won", "warning_closed", "prevented"])(
    "is not opened by the status %s, but resolved by it",
    async (status) => {
      const over = newDispute({ status });
      await recordDispute(over, NOON);
      expect(await alertsOf(over)).toEqual([]);

      const dispute = newDispute();
      await recordDispute(dispute, NOON);
      await recordDispute({ ...dispute, status } as Stripe.Dispute, EVENING);
      expect(await alertsOf(dispute)).toMatchObject([
        { facts: { dispute: dispute.id, outcome: status }, openedAt: NOON, seenAt: EVENING },
      ]);
    },
  );
});
