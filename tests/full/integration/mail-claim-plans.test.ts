import { randomUUID } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Executor, getDatabase } from "~db/client";
import { claimCampaignMails, claimTransactionalMails } from "~db/queries/mail-claims";
import { openTestSite, type TestSite } from "../../support/site";

const MOST = 10;
const QUEUED = 5_000;

let site: TestSite;

beforeAll(async () => {
  site = await openTestSite();
  // the planner's statistics come only from the tests
  await getDatabase().db.execute(sql`alter table mails set (autovacuum_enabled = false)`);
});
beforeEach(() => getDatabase().db.execute(sql`truncate mails, campaigns, mail_workers`));
afterAll(() => site.close());

async function newCampaign(name: string): Promise<string> {
  const [campaign] = await getDatabase().db.execute<{ id: string }>(sql`
    insert into campaigns (slug, audience, subject, preview_text, markdown, start_at)
    values (${name}, 'subscribers', 'An issue', '', '', now()) returning id`);
  return campaign?.id ?? "";
}

async function addMails(campaignId: string | null, state: "queued" | "sent"): Promise<void> {
  await getDatabase().db.execute(sql`
    insert into mails (kind, priority, state, campaign_id, subscriber_id, recipient, address_hash, expires_at, finished_at)
    select 'newsletter', 2, ${state}, ${campaignId}::uuid, gen_random_uuid(),
      case when ${campaignId === null} and ${state === "queued"} then n || '@example.test' end,
      sha256(convert_to(n::text, 'UTF8')), now() + interval '3 days',
      case when ${state === "sent"} then now() end
    from generate_series(1, ${QUEUED}::int) n`);
}

const analyze = () => getDatabase().db.execute(sql`analyze mails`);

type PlanNode = { "Actual Rows": number; "Actual Loops": number; Plans?: PlanNode[] };

/** Returns the maximum number of rows that any step of a statement's plan passed to the next. */
async function mostRows(run: (executor: Executor) => Promise<unknown>): Promise<number> {
  let most = 0;
  const { db } = getDatabase();
  const executor = {
    execute: async (statement: SQL) => {
      const [row] = await db.execute<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
        sql`explain (analyze, format json) ${statement}`,
      );
      const nodes = row ? [row["QUERY PLAN"][0].Plan] : [];
      for (const node of nodes) {
        most = Math.max(most, node["Actual Rows"] * node["Actual Loops"]);
        nodes.push(...(node.Plans ?? []));
      }
      return [];
    },
  };
  await run(executor as unknown as Executor);
  return most;
}

describe("a claim reads about as many mails as it claims", () => {
  it.each([
    ["in a table never analyzed", async () => {}],
    [
      "after an issue that was finished when the table was analyzed",
      async () => {
        await addMails(await newCampaign("before"), "sent");
        await analyze();
      },
    ],
    ["in a table analyzed while it was empty", analyze],
  ])("from a long list, %s", async (_name, prepare) => {
    await prepare();
    const id = await newCampaign("long");
    await addMails(id, "queued");
    await addMails(null, "queued");
    const worker = randomUUID();
    const { db } = getDatabase();
    const first = await claimCampaignMails(worker, id, { most: MOST, after: null }, db);
    expect(first.claimed).toHaveLength(MOST);
    await claimTransactionalMails(worker, MOST, db);

    const claim = (after: typeof first.cursor) => (executor: Executor) =>
      claimCampaignMails(worker, id, { most: MOST, after }, executor);
    // earlier claimed mails may be read again
    expect(await mostRows(claim(null))).toBeLessThanOrEqual(2 * MOST);
    expect(await mostRows(claim(first.cursor))).toBeLessThanOrEqual(2 * MOST);
    const transactional = (executor: Executor) => claimTransactionalMails(worker, MOST, executor);
    expect(await mostRows(transactional)).toBeLessThanOrEqual(2 * MOST);
    const all = (executor: Executor) => executor.execute(sql`select from mails`);
    expect(await mostRows(all)).toBeGreaterThanOrEqual(2 * QUEUED);
  });
});
