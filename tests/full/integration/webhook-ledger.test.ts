import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { getDatabase } from "~db/client";
import { recordUnlessOwned } from "~db/queries/webhook-events";
import { openTestSite, type TestSite } from "../../support/site";

/** More executions than PostgreSQL plans individually before it keeps a generic plan. */
const EVENTS = 20;

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite();
});
afterAll(() => site.close());

it("recording an event does not read the ledger, even with a plan made while it was empty", async () => {
  const { db } = getDatabase();
  await db.execute(sql`alter table webhook_events set (autovacuum_enabled = false)`);
  await db.execute(sql`vacuum analyze webhook_events`);
  const read = await db.transaction(async (tx) => {
    for (let number = 1; number <= EVENTS; number++) {
      const event = {
        id: `evt_${randomUUID()}`,
        type: "customer.subscription.updated",
        apiVersion: null,
        stripeCustomerId: "cus_nobody",
        occurredAt: new Date(),
      };
      expect(await recordUnlessOwned(event, tx)).toBe("recorded");
    }
    const [counted] = await tx.execute<{ rows: number }>(sql`
      select seq_tup_read::int as rows from pg_stat_xact_user_tables where relname = 'webhook_events'`);
    return counted?.rows;
  });
  expect(read).toBe(0);
});
