import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { isSubscribed } from "~/features/membership/access";
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  retryCampaign,
} from "~/features/newsletter/campaign-control.server";
import {
  type CampaignOutcome,
  campaignLifetime,
  createCampaign,
  type SendOptions,
} from "~/features/newsletter/create-campaign.server";
import type { Issue } from "~/features/newsletter/read-issue.server";
import { addressHash } from "~db/address-hash";
import { getDatabase } from "~db/client";
import { countAudience, readCampaignProgress } from "~db/queries/campaigns";
import { givesAccess } from "~db/queries/profiles";
import { mails, profiles, subscribers, suppressedAddresses, users } from "~db/schema";
import { addWalkers, issueOf } from "../support/newsletter";
import { testSite } from "../support/site";

const DAY_MS = 86_400_000;

testSite();
afterEach(async () => {
  await getDatabase().db.execute(
    sql`truncate mails, campaigns, newsletter_images, subscribers, suppressed_addresses, users cascade`,
  );
});

const db = () => getDatabase().db;

function send(issue: Partial<Issue> = {}, options: Partial<SendOptions> = {}) {
  const defaults: SendOptions = {
    audience: "subscribers",
    startAt: new Date(),
    rate: null,
    lifetimeMs: campaignLifetime(0, null),
  };
  return db().transaction((tx) => createCampaign(issueOf(issue), { ...defaults, ...options }, tx));
}

const queuedOf = (outcome: CampaignOutcome) => ("queued" in outcome ? outcome.queued : null);

/** The addresses that have a mail of any campaign, in order. */
async function mailed(): Promise<string[]> {
  const rows = await db()
    .select({ email: subscribers.email })
    .from(mails)
    .innerJoin(subscribers, sql`${subscribers.id} = ${mails.subscriberId}`);
  return rows.map(({ email }) => email).sort();
}

async function addMember(
  email: string,
  periodEnd: Date | null,
  priceId: string | null = "price_1",
) {
  const [user] = await db().insert(users).values({ email, passwordHash: "x" }).returning();
  await db()
    .insert(profiles)
    .values({ id: user?.id ?? "", stripePriceId: priceId, stripeCurrentPeriodEnd: periodEnd });
}

describe("sending an issue", () => {
  it("queues one mail for each confirmed subscriber, and no other", async () => {
    await addWalkers(3);
    await db().insert(subscribers).values({ email: "unsure@example.test" });
    await db()
      .insert(suppressedAddresses)
      .values({ addressHash: addressHash("WALKER2@example.test"), reason: "hard-bounce" });
    expect(await countAudience("subscribers")).toEqual({
      recipients: 2,
      suppressed: 1,
      unconfirmed: 1,
      unsubscribedMembers: 0,
    });
    const startAt = new Date(Date.now() + DAY_MS);
    const outcome = await send({}, { startAt });
    expect(outcome).toMatchObject({ kind: "created", queued: 2 });
    expect(await mailed()).toEqual(["walker1@example.test", "walker3@example.test"]);
    const [mail] = await db().select().from(mails);
    expect(mail).toMatchObject({
      kind: "newsletter",
      priority: 2,
      state: "queued",
      recipient: null,
    });
    expect(mail?.dueAt).toEqual(startAt);
    expect(mail?.expiresAt).toEqual(new Date(startAt.getTime() + 3 * DAY_MS));
  });

  it("sends an issue for members to members who have subscribed", async () => {
    await addWalkers(3);
    const soon = new Date(Date.now() + 60_000);
    await addMember("Walker1@example.test", soon);
    await addMember("walker2@example.test", new Date(Date.now() - 60_000));
    await addMember("not.on.the.list@example.test", soon);
    expect(await countAudience("premium")).toMatchObject({ recipients: 1, unsubscribedMembers: 1 });
    const outcome = await send({ premium: true }, { audience: "premium" });
    expect(outcome).toMatchObject({ queued: 1, campaign: { premium: true } });
    expect(await mailed()).toEqual(["walker1@example.test"]);
  });

  it("again, adds only new subscribers", async () => {
    await addWalkers(2);
    await send();
    await db().execute(sql`update mails set state = 'sent', finished_at = now()`);
    await db().insert(subscribers).values({ email: "new@example.test", confirmedAt: new Date() });
    expect(await send()).toMatchObject({ kind: "extended", queued: 1 });
    expect(queuedOf(await send())).toBe(0);
    expect(await mailed()).toHaveLength(3);
  });

  it("never mails an address twice that has left and come back, in any case", async () => {
    await addWalkers(1);
    await send();
    await db().execute(sql`delete from subscribers`);
    await db()
      .insert(subscribers)
      .values({ email: "WALKER1@example.test", confirmedAt: new Date() });
    expect(queuedOf(await send())).toBe(0);
  });

  it("refuses another issue under the slug of a sent one, and lists the differences", async () => {
    await addWalkers(1);
    await send();
    expect(await send({ markdown: "Other words.", subject: "Other" })).toMatchObject({
      kind: "slug-taken",
      differs: ["subject", "text or images"],
    });
    expect(await send({}, { audience: "premium" })).toMatchObject({
      kind: "slug-taken",
      differs: ["audience", "premium"],
    });
    expect(await mailed()).toHaveLength(1);
  });

  it("by two people at the same moment is one campaign with one mail each", async () => {
    await addWalkers(50);
    const outcomes = await Promise.all([send(), send(), send()]);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["created", "extended", "extended"]);
    expect(outcomes.map(queuedOf).reduce((sum, queued) => (sum ?? 0) + (queued ?? 0), 0)).toBe(50);
    expect(await mailed()).toHaveLength(50);
  });
});

describe("a campaign", () => {
  const progress = async () => {
    const [row] = await db().execute<{ id: string }>(sql`select id from campaigns`);
    return readCampaignProgress(row?.id ?? "");
  };

  it("is paused and resumed, with the same time left", async () => {
    await addWalkers(2);
    await send();
    expect(await pauseCampaign("the-first-mile")).toMatchObject({ campaign: { state: "paused" } });
    expect(await pauseCampaign("the-first-mile")).toMatchObject({ kind: "unchanged" });
    await db().execute(sql`update mails set expires_at = now() - interval '1 hour'`);
    expect(await resumeCampaign("the-first-mile")).toMatchObject({
      kind: "done",
      campaign: { state: "running" },
    });
    const [{ left } = { left: 0 }] = await db().execute<{ left: number }>(
      sql`select extract(epoch from min(expires_at) - now())::float8 as left from mails`,
    );
    expect(left).toBeGreaterThan(3 * 86_400 - 60);
    expect(await resumeCampaign("the-first-mile")).toMatchObject({ kind: "unchanged" });
    expect(await pauseCampaign("nowhere")).toEqual({ kind: "unknown" });
  });

  it("is sent again to refused addresses, but not to those that may have it", async () => {
    await addWalkers(4);
    await send();
    await db().execute(sql`
      update mails set state = given.state, times_in_doubt = doubts, attempts = 3, finished_at = now(),
        expires_at = now()
      from (values (1, 'sent', 0), (2, 'failed', 0), (3, 'failed', 1), (4, 'expired', 0)) given (n, state, doubts)
      where subscriber_id = (select id from subscribers where email = 'walker' || n || '@example.test')`);
    expect(await retryCampaign("the-first-mile")).toMatchObject({ kind: "done" });
    expect(await progress()).toMatchObject({ sent: 1, failed: 1, queued: 2, expired: 0 });
    const [{ left, attempts } = { left: 0, attempts: 3 }] = await db().execute<{
      left: number;
      attempts: number;
    }>(
      sql`select extract(epoch from expires_at - now())::float8 as left, attempts from mails where state = 'queued'`,
    );
    expect(left).toBeGreaterThan(3 * 86_400 - 60);
    expect(attempts).toBe(0);
    expect(await retryCampaign("the-first-mile")).toMatchObject({ kind: "unchanged" });
    await cancelCampaign("the-first-mile");
    await db().execute(sql`update mails set state = 'failed' where state = 'cancelled'`);
    expect(await retryCampaign("the-first-mile")).toMatchObject({ kind: "unchanged" });
    expect(await retryCampaign("nowhere")).toEqual({ kind: "unknown" });
  });

  it("is canceled for good, and its unsent mail is dropped", async () => {
    await addWalkers(3);
    await send();
    await db().execute(
      sql`update mails set state = 'sent', finished_at = now() where id = (select id from mails limit 1)`,
    );
    expect(await cancelCampaign("the-first-mile")).toMatchObject({ kind: "done" });
    expect(await progress()).toMatchObject({ sent: 1, cancelled: 2, queued: 0 });
    expect(await cancelCampaign("the-first-mile")).toMatchObject({ kind: "unchanged" });
    expect(await resumeCampaign("the-first-mile")).toMatchObject({ kind: "unchanged" });
    expect(await send()).toMatchObject({ kind: "cancelled" });
  });
});

describe("the rule of access", () => {
  it("is the same in SQL as in the program", async () => {
    await addMember("a@example.test", null, null);
    const price = fc.constantFrom(null, "", "price_1");
    // not within seconds of now, since the two read different clocks
    const end = fc.oneof(
      fc.constant(null),
      fc.integer({ min: 10, max: 10_000_000 }).map((seconds) => Date.now() + seconds * 1000),
      fc.integer({ min: 10, max: 10_000_000 }).map((seconds) => Date.now() - seconds * 1000),
    );
    await fc.assert(
      fc.asyncProperty(price, end, async (stripePriceId, at) => {
        const stripeCurrentPeriodEnd = at === null ? null : new Date(at);
        await db().update(profiles).set({ stripePriceId, stripeCurrentPeriodEnd });
        const [row] = await db().select({ access: givesAccess() }).from(profiles);
        expect(row?.access).toBe(
          isSubscribed({ stripePriceId, stripeCurrentPeriodEnd }, new Date()),
        );
      }),
      { numRuns: 40 },
    );
  });
});
