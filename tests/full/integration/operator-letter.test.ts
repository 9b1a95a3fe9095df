import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { forgetLetters, letterMonth, sendLetterIfDue } from "~/features/checks/site-watch.server";
import type { MailWorker } from "~/features/mail/mail-worker.server";
import { readStatistics } from "~/features/statistics/read-statistics.server";
import { monthAfter, utcMonth } from "~/features/statistics/utc-day";
import { getDatabase, setDatabase } from "~db/client";
import { withInstanceLock } from "~db/queries/instance-lock";
import { insertAlert } from "~db/queries/operator-alerts";
import { memberships, users } from "~db/schema";
import { runCommand } from "../../support/command";
import { eventually } from "../../support/eventually";
import { SMALL_EDITION, takeEdition } from "../../support/library";
import { mailIdle } from "../../support/mail";
import { runMailWorker } from "../../support/mail-worker";
import { control, newMember } from "../../support/payments";
import { SESSION_SECRET } from "../../support/session-secret";
import { testSite } from "../../support/site";
import { startSmtpServer, type TestSmtpServer } from "../../support/smtp";

const OPERATOR = "hand@operator.test";
const PERSON = "Wilhelmina.Featherstone@reader.test";

const site = testSite({ payments: {} });
let smtp: TestSmtpServer;
let worker: MailWorker;
beforeAll(async () => {
  smtp = await startSmtpServer();
  setEnvironment(variables());
  worker = await runMailWorker();
});
beforeEach(async () => {
  await db().execute(sql`truncate memberships, users, subscribers, former_accounts, former_subscribers,
    visitor_hashes, visitor_salts, daily_visitors, renewal_failures, operator_matters, mails, editions,
    program_starts, campaigns cascade`);
  smtp.delivered.length = 0;
  forgetLetters();
  setEnvironment(variables());
});
afterEach(() => {
  for (const mail of smtp.delivered)
    expect(JSON.stringify(mail).toLowerCase()).not.toMatch(/featherstone/);
});
afterAll(async () => {
  await worker.stop(5_000);
  await smtp.close();
});

const variables = (others: Record<string, string> = {}) => ({
  DATABASE_URL: site.databaseUrl,
  SMTP_URL: smtp.url,
  PUBLIC_URL: "https://book.test",
  ALLOW_PUBLIC_SANDBOX: "true",
  MAIL_FROM: "The Golden Path <letters@book.test>",
  SESSION_SECRET,
  LOG_LEVEL: "silent",
  PAYMENTS: "sandbox",
  STRIPE_SANDBOX_PORT: new URL(site.sandboxOrigin).port,
  OPERATOR_EMAIL: OPERATOR,
  ...others,
});
const db = () => getDatabase().db;
const thisMonth = utcMonth(new Date());
const ago = (months: number, day = 5) =>
  new Date(`${monthAfter(thisMonth, -months)}-${String(day).padStart(2, "0")}T12:00:00Z`);

/** A time in the month after the letter's. */
const DUE = ago(0, 15);

/** Runs a command, which opens and closes its own database. */
async function run(...command: string[]) {
  const own = getDatabase();
  try {
    return await runCommand(...command);
  } finally {
    setDatabase(own);
  }
}

/** Seeds a history: everything that a letter counts happened last month, with other figures before. */
async function seedMonths(): Promise<void> {
  await takeEdition(SMALL_EDITION);
  const spell = (startedAt: Date, endedAt: Date | null = null, person = randomUUID()) => ({
    ...{ person, startedAt, endedAt, monthlyAmount: 999, currency: "usd" },
  });
  const back = randomUUID();
  await db()
    .insert(memberships)
    .values([
      ...[spell(ago(5)), spell(ago(4)), spell(ago(4), ago(1)), spell(ago(2), ago(1, 9))],
      ...[spell(ago(5), ago(3), back), spell(ago(1), null, back)],
      ...[spell(ago(1)), spell(ago(1)), spell(ago(1, 20)), spell(ago(0, 1))],
    ]);
  for (const [index, createdAt] of [ago(3), ago(1), ago(1)].entries()) {
    await db()
      .insert(users)
      .values({ email: `${index}${PERSON}`, passwordHash: "-", createdAt });
  }
  await db().execute(sql`insert into reading_progress (user_id, slug, read_at)
    select id, 'gates', ${ago(1).toISOString()}::timestamptz from users`);
  await db().execute(
    sql`insert into daily_visitors values (${ago(1).toISOString()}::date, '', 1234)`,
  );
  const dispute = { kind: "dispute", facts: { dispute: "dp_1" }, reportAfterMs: 0 };
  await insertAlert({ ...dispute, key: "dispute:dp_1", openedAt: ago(1) });
  await db().execute(sql`update operator_matters set reported_at = opened_at`);
}

/** Waits until the server frees a writer's lock, a moment after the writer has ended. */
const untilUnlocked = () =>
  eventually(async () =>
    expect(
      await db().execute(sql`select from pg_locks join pg_database on pg_database.oid = database
        where locktype = 'advisory' and datname = current_database()`),
    ).toEqual([]),
  );

async function send(now: Date): Promise<boolean> {
  await untilUnlocked();
  return sendLetterIfDue(now);
}

describe("the letter", () => {
  it("has the figures of its month, each beside the month before", async () => {
    await seedMonths();
    const { code, stdout } = await run("operator", "letter", "--month", monthAfter(thisMonth, -1));
    expect(code).toBe(0);
    for (const line of [
      /Members at the end +6 \(before: 4\)/,
      /Lost +2 \(before: 0\)/,
      /Revenue per month +59\.94 USD \(before: 39\.96 USD\)/,
      /Disputes opened +1 \(before: 0\)/,
      /Visitors, day by day +1,234 \(before: 0\)/,
      /Gates +marked as read by 3 members/,
      /A payment is disputed/,
      /No automatic backups/,
    ])
      expect(stdout).toMatch(line);
    expect(stdout.toLowerCase()).not.toContain("featherstone");
  });

  it("is sent once, in text and HTML, by one of several instances, even after restarts", async () => {
    await seedMonths();
    const again = async () => {
      forgetLetters();
      return sendLetterIfDue(DUE);
    };
    await Promise.all([again(), again(), again()]);
    await untilUnlocked();
    await again();
    await mailIdle();
    expect(smtp.delivered.map(({ recipients }) => recipients)).toEqual([[OPERATOR]]);
    const [mail] = smtp.delivered;
    for (const part of [mail?.text, mail?.html])
      expect(part).toContain("Failed payments recovered");
  });

  it("is left to the instance that is writing it, and retried an hour after a failure", async () => {
    await seedMonths();
    await withInstanceLock("operator letter", async () => {
      expect(await sendLetterIfDue(DUE)).toBe(false);
    });
    await db().execute(sql`alter table memberships rename to away`);
    try {
      await expect(send(DUE)).rejects.toThrow();
    } finally {
      await db().execute(sql`alter table away rename to memberships`);
    }
    const inMinutes = (minutes: number) => new Date(DUE.getTime() + minutes * 60_000);
    expect(await send(inMinutes(59))).toBe(false);
    expect(await send(inMinutes(60))).toBe(true);
  });

  it("is due at six o'clock (UTC) on the first day, or later if the site was off", async () => {
    expect(letterMonth(new Date("2026-11-01T05:59:59Z"))).toBe("2026-09");
    expect(letterMonth(new Date("2026-11-01T06:00:00Z"))).toBe("2026-10");
    expect(letterMonth(new Date("2026-11-29T12:00:00Z"))).toBe("2026-10");
    expect(letterMonth(new Date("2027-01-01T06:00:00Z"))).toBe("2026-12");
    await seedMonths();
    expect(await send(DUE)).toBe(true);
    expect(await send(DUE)).toBe(false);
  });
});

describe("failed renewals", () => {
  const figures = async () => (await readStatistics(1)).months.at(-1)?.renewals;

  it("count once, and as recovered when they are paid later", async () => {
    const member = await newMember(site.sandboxOrigin);
    const subscription = `subscriptions/${member.subscription}`;
    await control(site.sandboxOrigin, `${subscription}/renew`, { outcome: "declined" });
    await syncCustomer(member.customer);
    await syncCustomer(member.customer);
    expect(await figures()).toEqual({ failed: 1, recovered: 0 });
    await control(site.sandboxOrigin, `${subscription}/recover`);
    await syncCustomer(member.customer);
    await syncCustomer(member.customer);
    expect(await figures()).toEqual({ failed: 1, recovered: 1 });
    const rows = await db().execute(sql`select * from renewal_failures`);
    expect(JSON.stringify(rows)).not.toMatch(/in_|cus_|sub_/);
  });
});

describe("'operator test'", () => {
  it("sends a mail to the operator, and fails if there is no address", async () => {
    const { code, stdout } = await run("operator", "test");
    expect(code).toBe(0);
    expect(stdout).toContain("accepted the mail");
    expect(smtp.delivered.map(({ recipients }) => recipients)).toEqual([[OPERATOR]]);
    setEnvironment(variables({ OPERATOR_EMAIL: "" }));
    expect(await run("operator", "test")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("OPERATOR_EMAIL isn't set"),
    });
  });
});

describe("'operator matters'", () => {
  it("shows open alerts with advice, and resolved ones only on request", async () => {
    expect((await run("operator", "matters")).stdout).toBe("There are no open alerts.\n");
    await insertAlert({
      ...{ kind: "webhooks-refused", key: "webhooks-refused", reportAfterMs: 0 },
      ...{ facts: { count: 4, livemodeMismatches: 0 }, openedAt: ago(0, 1) },
    });
    await db().execute(sql`update operator_matters set reported_at = now(), is_mailed = true`);
    await db().execute(sql`
      insert into mails (kind, priority, state, idempotency_key, address_hash, expires_at, finished_at, last_reply)
      select 'operator-matter', 1, 'failed', 'operator-matter:' || id, '', now(), now(), '550 5.7.1 RCPT TO'
      from operator_matters`);
    const { stdout } = await run("operator", "matters");
    expect(stdout).toContain("The mail about it: failed (550 5.7.1 RCPT TO).");
    expect(stdout).toContain("Stripe's webhooks are refused, since ");
    expect(stdout).toContain("    golden-path stripe doctor\n");
    const [json] = JSON.parse((await run("operator", "matters", "--json")).stdout);
    expect(json).toMatchObject({
      kind: "webhooks-refused",
      state: "reported",
      mail: { state: "failed", reply: "550 5.7.1 RCPT TO" },
      until: null,
    });

    await db().execute(sql`update operator_matters set cleared_at = now()`);
    expect((await run("operator", "matters")).stdout).toBe("There are no open alerts.\n");
    expect((await run("operator", "matters", "--all")).stdout).toMatch(
      /webhooks are refused: from .* to /,
    );
  });
});
