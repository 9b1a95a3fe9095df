import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readStatistics } from "~/features/statistics/read-statistics.server";
import type { MonthFigures } from "~/features/statistics/statistics";
import { monthAfter, utcDay, utcMonth } from "~/features/statistics/utc-day";
import { UPGRADE, VisitorCounter } from "~/features/statistics/visitor-counter.server";
import { getDatabase } from "~db/client";
import { deleteAccountRows } from "~db/queries/account-deletions";
import { recordMemberships } from "~db/queries/memberships";
import { deleteUnconfirmedSubscribers, unsubscribeById } from "~db/queries/subscribers";
import { countFinishedDays, findDailyVisitors } from "~db/queries/visitors";
import {
  dailyVisitors,
  formerAccounts,
  formerSubscribers,
  memberships,
  subscribers,
  users,
  visitorHashes,
  visitorSalts,
} from "~db/schema";
import { openTestSite, type TestSite } from "../../support/site";

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite();
});
afterAll(() => site.close());
beforeEach(async () => {
  await getDatabase().db.execute(
    sql`truncate memberships, users, subscribers, former_accounts, former_subscribers,
      visitor_hashes, visitor_salts, daily_visitors cascade`,
  );
});

const db = () => getDatabase().db;
const now = new Date();
const thisMonth = utcMonth(now);

/** Returns a day of the month this many months ago, at noon in UTC. */
const ago = (months: number, day = 5) =>
  new Date(`${monthAfter(thisMonth, -months)}-${String(day).padStart(2, "0")}T12:00:00Z`);

type Spell = { from: Date; to?: Date; amount?: number; currency?: string; person?: string };

const addSpell = ({ from, to, amount = 999, currency = "usd", person = randomUUID() }: Spell) =>
  db()
    .insert(memberships)
    .values({ person, startedAt: from, endedAt: to ?? null, monthlyAmount: amount, currency });

async function figuresOf(months = 12): Promise<Record<number, MonthFigures>> {
  const { months: all } = await readStatistics(months);
  return Object.fromEntries(all.map((figures, index) => [all.length - 1 - index, figures]));
}

describe("members by month", () => {
  it("are those who joined and have not left, including those of earlier years", async () => {
    await addSpell({ from: ago(30) });
    await addSpell({ from: ago(3), to: ago(1) });
    await addSpell({ from: ago(2) });
    const figures = await figuresOf();
    expect([4, 3, 2, 1].map((back) => figures[back]?.members.count)).toEqual([1, 2, 3, 2]);
    expect(figures[3]?.members).toMatchObject({ joined: 1, returned: 0, left: 0, churn: 0 });
    expect(figures[1]?.members).toMatchObject({ joined: 0, left: 1, churn: 1 / 3 });
  });

  it("who join and leave within a month do not count as churn", async () => {
    await addSpell({ from: ago(3) });
    await addSpell({ from: ago(1), to: ago(1, 7) });
    await addSpell({ from: ago(1), to: ago(1, 8) });
    expect((await figuresOf())[1]?.members).toMatchObject({ joined: 2, left: 2, churn: 0 });
  });

  it("count returning members as returned, and changed subscriptions not at all", async () => {
    const [back, changed] = [randomUUID(), randomUUID()];
    await addSpell({ from: ago(6), to: ago(5), person: back });
    await addSpell({ from: ago(2), person: back });
    await addSpell({ from: ago(6), to: ago(2, 7), person: changed });
    await addSpell({ from: ago(2, 6), person: changed, amount: 500 });
    const figures = await figuresOf();
    expect(figures[6]?.members).toMatchObject({ count: 2, joined: 2 });
    expect(figures[5]?.members).toMatchObject({ count: 1, left: 1, churn: 1 / 2 });
    expect(figures[2]?.members).toMatchObject({ count: 2, joined: 0, returned: 1, left: 0 });
  });
});

it("revenue is the members' monthly payments, by currency", async () => {
  await addSpell({ from: ago(4) });
  await addSpell({ from: ago(3), to: ago(1), amount: 825 });
  await addSpell({ from: ago(2), amount: 500, currency: "eur" });
  const figures = await figuresOf();
  expect([4, 3, 2, 1].map((back) => figures[back]?.revenue)).toEqual([
    { eur: 0, usd: 999 },
    { eur: 0, usd: 1_824 },
    { eur: 500, usd: 1_824 },
    { eur: 500, usd: 999 },
  ]);
});

it("cohorts show how many were members a number of months after they joined", async () => {
  const back = randomUUID();
  await addSpell({ from: ago(4, 10) });
  await addSpell({ from: ago(4, 11), to: ago(3, 20) });
  await addSpell({ from: ago(4, 12), to: ago(3, 2), person: back });
  await addSpell({ from: ago(2, 1), person: back });
  const { cohorts } = await readStatistics(12);
  expect(cohorts).toHaveLength(1);
  const [cohort] = cohorts;
  expect(cohort).toMatchObject({ month: monthAfter(thisMonth, -4), size: 3 });
  // after one month the second is still here and the third is not; after two it is the reverse
  expect(cohort?.retained.slice(0, 4)).toEqual([1, 2 / 3, 2 / 3, 2 / 3]);
  // this month is not over yet for those who joined late in their month
  expect(cohort?.retained.slice(4)).toEqual(Array(8).fill(null));

  await addSpell({ from: new Date(now.getTime() - 1_000) });
  const { cohorts: later } = await readStatistics(12);
  expect(later.at(-1)).toEqual({
    month: thisMonth,
    size: 1,
    retained: [1, ...Array(11).fill(null)],
  });
});

describe("newsletter and accounts", () => {
  const addSubscriber = async (confirmedAt: Date | null, createdAt = confirmedAt ?? ago(3)) => {
    const email = `${randomUUID()}@example.test`;
    const [row] = await db()
      .insert(subscribers)
      .values({ email, confirmedAt, createdAt })
      .returning({ id: subscribers.id });
    return row?.id ?? "";
  };

  it("keep every month's count when a subscriber leaves, and nothing else of them", async () => {
    await addSubscriber(ago(3));
    const leaving = await addSubscriber(ago(2));
    await addSubscriber(null);
    const before = await figuresOf();
    expect([3, 2, 1].map((back) => before[back]?.newsletter.count)).toEqual([1, 2, 2]);

    await unsubscribeById(leaving);
    expect(await deleteUnconfirmedSubscribers(new Date())).toBe(1);

    const after = await figuresOf();
    expect([3, 2, 1, 0].map((back) => after[back]?.newsletter)).toEqual([
      { count: 1, joined: 1, left: 0 },
      { count: 2, joined: 1, left: 0 },
      { count: 2, joined: 0, left: 0 },
      { count: 1, joined: 0, left: 1 },
    ]);
    expect(await db().select().from(formerSubscribers)).toEqual([
      { joinedOn: utcDay(ago(2)), leftOn: utcDay(now) },
    ]);
  });

  it("count a deleted account and its membership without a link to it", async () => {
    const email = `${randomUUID()}@example.test`;
    const [user] = await db()
      .insert(users)
      .values({ email, passwordHash: "x", createdAt: ago(2) })
      .returning();
    const userId = user?.id ?? "";
    const paid = {
      stripeSubscriptionId: "sub_1",
      startedAt: ago(2),
      endedAt: null,
      monthlyAmount: 999,
      currency: "usd",
      reason: "unused",
    };
    await db().transaction((tx) => recordMemberships(userId, [paid], now, tx));
    await db().transaction((tx) => deleteAccountRows({ userId, email }, tx));

    const figures = await figuresOf();
    expect((await readStatistics(12)).reasons).toEqual([{ reason: "unused", members: 1 }]);
    expect([2, 1].map((back) => figures[back]?.members.count)).toEqual([1, 1]);
    expect(figures[0]).toMatchObject({
      members: { count: 0, left: 1 },
      accounts: { count: 0, joined: 0, left: 1 },
    });
    expect(figures[2]?.accounts).toEqual({ count: 1, joined: 1, left: 0 });
    expect(await db().select().from(formerAccounts)).toHaveLength(1);
    const [row] = await db().select().from(memberships);
    expect(row).toMatchObject({ stripeSubscriptionId: null, userId: null });
  });
});

describe("visitors", () => {
  const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const visit = (page: string, client: string, userAgent: string | undefined = BROWSER) => ({
    page,
    client,
    userAgent,
  });

  it("count once a day for each page and for the site, across all instances", async () => {
    const [one, other] = [new VisitorCounter(), new VisitorCounter()];
    for (const counter of [one, other]) {
      for (let times = 0; times < 3; times++) {
        counter.count(visit("/", "192.0.2.1"));
        counter.count(visit("/auth", "192.0.2.1"));
        counter.count(visit("/", "192.0.2.2"));
      }
      await counter.write(now);
    }
    const day = utcDay(now);
    expect(await findDailyVisitors(day)).toEqual(
      expect.arrayContaining([
        { day, page: "/", visitors: 2 },
        { day, page: "/auth", visitors: 1 },
        { day, page: "", visitors: 2 },
      ]),
    );
  });

  it("become numbers after their day, and their hashes and salt are deleted", async () => {
    const counter = new VisitorCounter();
    counter.count(visit("/", "192.0.2.1"));
    counter.count(visit(UPGRADE, "192.0.2.1"));
    const yesterday = new Date(now.getTime() - 86_400_000);
    await counter.write(yesterday);
    await countFinishedDays(utcDay(yesterday));
    expect(await db().select().from(visitorHashes)).toHaveLength(2);

    await Promise.all([countFinishedDays(utcDay(now)), countFinishedDays(utcDay(now))]);
    expect(await db().select().from(visitorHashes)).toEqual([]);
    expect(await db().select().from(visitorSalts)).toEqual([]);
    const day = utcDay(yesterday);
    expect(await db().select().from(dailyVisitors).orderBy(dailyVisitors.page)).toEqual([
      { day, page: "", visitors: 1 },
      { day, page: "/", visitors: 1 },
      { day, page: UPGRADE, visitors: 1 },
    ]);
    const { funnel } = await readStatistics(1);
    expect(funnel).toMatchObject({ visitors: 1, upgradeVisitors: 1, authVisitors: 0 });
  });

  it("wait while the database is down, with limits on time and memory", async () => {
    const counter = new VisitorCounter();
    for (let client = 0; client < 60_000; client++) counter.count(visit("/", `c${client}`));
    await db().execute(sql`alter table visitor_salts rename to visitor_salts_away`);
    await counter.write(now);
    await db().execute(sql`alter table visitor_salts_away rename to visitor_salts`);
    await counter.write(now);
    const day = utcDay(now);
    expect(await findDailyVisitors(day)).toContainEqual({ day, page: "/", visitors: 50_000 });
  });
});
