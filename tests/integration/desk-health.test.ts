import { randomUUID } from "node:crypto";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { env, parseEnvironment } from "~/env.server";
import { SETTING_NAMES } from "~/environment/schema.server";
import { describeSettings } from "~/environment/shown-settings.server";
import { SiteCheck } from "~/features/checks/site-check.server";
import { listAlerts, resolveByHand } from "~/features/desk/alerts.server";
import type { Author } from "~/features/desk/author.server";
import { readRange, recentLetters, recentStatistics } from "~/features/desk/figures.server";
import { makeBackup, readHealth, verifyKept } from "~/features/desk/health.server";
import { addressHash } from "~db/address-hash";
import { getDatabase } from "~db/client";
import { insertCampaign } from "~db/queries/campaigns";
import { findDeskChanges } from "~db/queries/desk";
import { withInstanceLock } from "~db/queries/instance-lock";
import { findOpenAlerts, insertAlert } from "~db/queries/operator-alerts";
import { campaigns, mails, profiles } from "~db/schema";
import { newAccount } from "../support/accounts";
import { newMember } from "../support/payments";
import { temporaryDirectory } from "../support/program";
import { testSite } from "../support/site";

const site = testSite({ payments: {} });
const db = () => getDatabase().db;
let author: Author;

beforeAll(async () => {
  const { userId, email } = await newAccount();
  author = { userId, email, verifiedAt: new Date() };
});

async function newAlert(kind: string, facts: Record<string, string | number> = {}, id = "") {
  await db().execute(sql`truncate operator_matters, operator_signals`);
  const key = id ? `${kind}:${id}` : kind;
  await insertAlert({ kind, key, facts, openedAt: new Date(), reportAfterMs: 0 });
  await db().execute(sql`update operator_matters set reported_at = now()`);
  const [alert] = await listAlerts();
  return alert ?? expect.fail("The alert is not listed.");
}

async function newCampaign(slug: string, changes: Partial<typeof campaigns.$inferInsert> = {}) {
  const usual = { audience: "subscribers", subject: slug, previewText: "", markdown: "" } as const;
  const startAt = new Date(Date.now() - 86_400_000);
  const campaign = await db().transaction((tx) =>
    insertCampaign({ slug, startAt, ...usual, ...changes }, tx),
  );
  return campaign?.id ?? "";
}

describe("the button of an alert", () => {
  it("resumes a letter that the site has paused, until the next check resolves the alert", async () => {
    const id = await newCampaign("fog", { state: "paused", pauseReason: "refused" });
    const alert = await newAlert("issue-paused", { slug: "fog", reason: "refused" }, id);
    expect(alert.button).toBe("Resume the letter");
    expect(await resolveByHand(author, alert.id)).toMatchObject({ isRunning: false });
    const [campaign] = await db().select().from(campaigns).where(eq(campaigns.id, id));
    expect(campaign).toMatchObject({ state: "running", pauseReason: null });
    expect(await listAlerts()).toEqual([]);
    await new SiteCheck(randomUUID()).run();
    expect(await findOpenAlerts()).toEqual([]);
    expect(await findDeskChanges(1)).toMatchObject([
      { what: "Resumed the letter “fog”", by: author.email },
    ]);
    const again = await resolveByHand(author, alert.id);
    expect(again.text).toBe("This alert is over, or no button resolves it.");
  });

  it("shows an alert again that the next check finds to go on", async () => {
    const id = await newCampaign("mist", { state: "paused", pauseReason: "refused" });
    const alert = await newAlert("issue-paused", { slug: "mist", reason: "refused" }, id);
    await resolveByHand(author, alert.id);
    await db().update(campaigns).set({ state: "paused", pauseReason: "refused" });
    await new SiteCheck(randomUUID()).run();
    expect((await listAlerts()).map(({ kind }) => kind)).toContain("issue-paused");
  });

  it("queues refused mails again that are still worth sending", async () => {
    const failed = {
      kind: "receipt",
      priority: 1,
      state: "failed",
      finishedAt: new Date(),
    } as const;
    const to = { recipient: "a@example.test", addressHash: addressHash("a@example.test") };
    const expiresAt = new Date(Date.now() + 60_000);
    await db()
      .insert(mails)
      .values([
        { ...failed, ...to, expiresAt },
        { ...failed, ...to, expiresAt: new Date() },
      ]);
    const alert = await newAlert("mail-refused", { refused: 3, sent: 1, reply: "550" });
    const { text } = await resolveByHand(author, alert.id);
    expect(text).toBe("Queued again: 1 receipt");
    const states = await db()
      .select({ state: mails.state })
      .from(mails)
      .where(eq(mails.kind, "receipt"))
      .orderBy(mails.state);
    expect(states.map(({ state }) => state)).toEqual(["failed", "queued"]);
  });

  it("syncs memberships that a missed webhook has left behind", async () => {
    const { id } = await newMember(site.sandboxOrigin);
    await db()
      .update(profiles)
      .set({ stripeCurrentPeriodEnd: null, syncDueAt: new Date() })
      .where(eq(profiles.id, id));
    const alert = await newAlert("webhooks-silent", { payments: 1 });
    const { text } = await resolveByHand(author, alert.id);
    expect(text).toBe("Synced 1 memberships with Stripe; 0 failed");
    const [profile] = await db().select().from(profiles).where(eq(profiles.id, id));
    expect(profile?.stripeCurrentPeriodEnd).not.toBeNull();
  });

  it("is absent where only the operator can help, who gets the advice and the commands", async () => {
    const alert = await newAlert("connections-low", { used: 95, most: 100 });
    expect(alert).toMatchObject({ button: null, commands: ["golden-path db psql"] });
    const { text } = await resolveByHand(author, alert.id);
    expect(text).toBe("This alert is over, or no button resolves it.");
  });
});

describe("the settings that the desk shows", () => {
  const MASKED = [
    "BACKUP_S3_ACCESS_KEY_ID",
    "BACKUP_S3_SECRET_ACCESS_KEY",
    "DATABASE_URL",
    "DISCOURSE_API_KEY",
    "DISCOURSE_CONNECT_SECRET",
    "DKIM_KEY_FILE",
    "MAIL_REPORT_SECRET",
    "METRICS_TOKEN",
    "SESSION_SECRET",
    "SMTP_URL",
    "STRIPE_PUBLISHABLE_KEY",
    "STRIPE_SECRET_KEY",
    "STRIPE_WEBHOOK_SECRET",
  ];

  it("hold no value of a secret, or of one that may contain a secret", () => {
    const all = Object.fromEntries(SETTING_NAMES.map((name) => [name, `marker of ${name}`]));
    const shown = describeSettings(all);
    expect(shown.map(([name]) => name)).toEqual(SETTING_NAMES);
    const masked = shown.filter(([, value]) => !value.includes("marker"));
    expect(masked.map(([name]) => name).sort()).toEqual(MASKED);
    expect(new Set(masked.map(([, value]) => value))).toEqual(new Set(["set"]));
  });

  it("hold no secret from a file", () => {
    const folder = temporaryDirectory();
    writeFileSync(join(folder.path, "secret"), "marker of a file");
    const shown = describeSettings({ SMTP_URL_FILE: join(folder.path, "secret") });
    folder.remove();
    expect(JSON.stringify(shown)).not.toContain("marker");
    expect(Object.fromEntries(shown)).toMatchObject({ SMTP_URL: "set", DATABASE_URL: "not set" });
  });

  it("hold no address that may have a password in it", () => {
    const addresses = SETTING_NAMES.filter((name) => /_(URL|BASE)$/.test(name));
    for (const name of addresses.filter((one) => !MASKED.includes(one))) {
      const variables = { [name]: "https://user:marker@host.example/bucket" };
      expect(() => parseEnvironment(variables), name).toThrow(`${name}: found`);
    }
  });

  it("say what the program uses where nothing is set", () => {
    const shown = Object.fromEntries(describeSettings({ PORT: " ", MAIL_RATE: "5" }));
    expect(shown).toMatchObject({ PORT: "3000 (default)", MAIL_RATE: "5", HOST: "not set" });
  });
});

describe("a backup made at the desk", () => {
  const folder = temporaryDirectory();
  beforeEach(() => site.restoreEnvironment({ BACKUP_DIR: folder.path }));

  it("is one at a time, in this process and beside others", async () => {
    const [first, second] = await Promise.all([makeBackup(author), makeBackup(author)]);
    expect(first.text).toMatch(/^Made the backup /);
    expect(second).toBe(first);
    const beside = await withInstanceLock("backup", () => makeBackup(author));
    expect(beside?.text).toBe("A backup is being made already. Wait until it is done.");
    expect(readdirSync(folder.path)).toHaveLength(1);
  });

  it("is listed, and verified whole", async () => {
    const { kept, hasPlace } = await readHealth({ withDoctor: false });
    expect(hasPlace).toBe(true);
    const [{ place, name } = { place: -1, name: "" }] = kept;
    const { text } = await verifyKept(String(place), name);
    expect(text).toMatch(/^golden-path-.*\.tar\.gz is complete\. Made .* row/);
    const broken = join(folder.path, "golden-path-20200101T000000Z.tar.gz");
    writeFileSync(broken, "no backup");
    const { text: refusal } = await verifyKept(
      String(place),
      "golden-path-20200101T000000Z.tar.gz",
    );
    expect(refusal).not.toContain("is complete");
    expect((await verifyKept(String(place), "../session-secret")).text).toContain(
      "not kept any more",
    );
  });

  it("goes to the site's own disk where no place is set, in place of the one before", async () => {
    site.restoreEnvironment({ BACKUP_DIR: "" });
    const own = join(env().DATA_DIR, "backups");
    expect((await makeBackup(author)).text).toMatch(/^Made the backup /);
    const [first] = readdirSync(own);
    await expect.poll(() => new Date().toISOString().slice(0, 19)).not.toBe(secondOf(first));
    expect((await makeBackup(author)).text).toMatch(/^Made the backup /);
    expect(readdirSync(own)).toHaveLength(1);
    expect(readdirSync(own)).not.toEqual([first]);
  });

  const secondOf = (name = "") =>
    name.replace(/^.*-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d).*$/, "$1-$2-$3T$4:$5:$6");
});

describe("figures at the desk", () => {
  it("compare letters by what became of their mails", async () => {
    await db().execute(sql`truncate mails, campaigns, subscribers, suppressed_addresses cascade`);
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    const old = await newCampaign("long ago", { startAt: daysAgo(40) });
    const first = await newCampaign("first", { startAt: daysAgo(3) });
    const second = await newCampaign("second", { startAt: daysAgo(1) });
    await newCampaign("later", { startAt: daysAgo(-1) });
    const people = await db().execute<{ id: string; email: string }>(
      sql`insert into subscribers (email, confirmed_at) select n || '@example.test', now() from generate_series(1, 4) n returning id, email`,
    );
    const mailsOf = (campaignId: string, days: number) =>
      people.map(({ id, email }, index) => ({
        ...{ kind: "newsletter", priority: 2, campaignId, subscriberId: id },
        ...{ addressHash: addressHash(email), expiresAt: new Date() },
        state: index === 3 ? ("failed" as const) : ("sent" as const),
        finishedAt: daysAgo(days),
      }));
    await db()
      .insert(mails)
      .values([
        ...mailsOf(first, 3),
        ...mailsOf(second, 1),
        {
          ...mailsOf(old, 40)[0],
          ...{ kind: "newsletter", priority: 2, expiresAt: new Date() },
          addressHash: addressHash("old@example.test"),
        },
      ]);
    await db().execute(sql`insert into suppressed_addresses (address_hash, reason, created_at) values
      (${addressHash("1@example.test")}, 'complaint', now()),
      (${addressHash("2@example.test")}, 'hard-bounce', now() - interval '2 days'),
      (${addressHash("3@example.test")}, 'unsubscribed', now()),
      (${addressHash("old@example.test")}, 'unsubscribed', now())`);
    const { letters = [] } = (await recentLetters()) ?? {};
    const results = { sent: 3, failed: 1, bounced: 0, complaints: 0, unsubscribed: 0 };
    expect(letters).toHaveLength(3);
    expect(letters.find(({ slug }) => slug === "long ago")).toMatchObject({ unsubscribed: 0 });
    expect(letters.find(({ slug }) => slug === "first")).toMatchObject({ ...results, bounced: 1 });
    expect(letters.find(({ slug }) => slug === "second")).toMatchObject({
      ...results,
      ...{ complaints: 1, unsubscribed: 1 },
    });
  });

  it("count who opened and who finished a text, the most read first", async () => {
    for (const [slugs, isRead] of [
      [["dawn", "noon"], true],
      [["noon"], false],
    ] as const) {
      const { userId } = await newAccount();
      for (const slug of slugs) {
        await db().execute(sql`insert into reading_progress (user_id, slug, read_at)
          values (${userId}, ${slug}, ${isRead ? new Date().toISOString() : null}::timestamptz)`);
      }
    }
    // counted a moment ago, for the test before
    await expect
      .poll(async () => (await recentLetters())?.texts)
      .toEqual([
        { slug: "noon", title: "noon", opened: 2, finished: 1 },
        { slug: "dawn", title: "dawn", opened: 1, finished: 1 },
      ]);
  });

  it("end with the month that is asked for", async () => {
    await db().execute(sql`insert into memberships (person, started_at, ended_at, monthly_amount, currency, reason) values
      (gen_random_uuid(), '2026-01-05', '2026-02-05', 999, 'usd', 'unused'),
      (gen_random_uuid(), '2026-01-05', '2026-03-05', 999, 'usd', 'too_complex')`);
    const range = { first: "2026-01", last: "2026-02" };
    const { months = [], reasons } = (await recentStatistics(range)) ?? {};
    expect(months.map(({ month, members }) => [month, members.count])).toEqual([
      ["2026-01", 2],
      ["2026-02", 1],
    ]);
    expect(reasons).toEqual([{ reason: "unused", members: 1 }]);
  });

  it.each([
    ["", { first: "2025-11", last: "2026-11" }],
    ["from=2026-03&to=2026-05", { first: "2026-03", last: "2026-05" }],
    ["from=2026-03", { first: "2026-03", last: "2026-11" }],
    ["from=2026-06&to=2026-05", null],
    ["from=2026-03&to=2026-12", null],
    ["from=1999-01", null],
    ["from=March", null],
  ])("have the range of '%s'", (search, range) => {
    expect(readRange(new URLSearchParams(search), new Date("2026-11-23"))).toEqual(range);
  });
});
