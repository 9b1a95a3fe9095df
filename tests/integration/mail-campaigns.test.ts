import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import type { IssueSource } from "~/features/mail/campaign-lane.server";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import type { MailWorker } from "~/features/mail/mail-worker.server";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { getDatabase } from "~db/client";
import { watchLog } from "../support/log";
import { mailIdle } from "../support/mail";
import { runMailWorker } from "../support/mail-worker";
import { openTestSite, type TestSite } from "../support/site";
import { type SmtpSink, startSmtpSink } from "../support/smtp-sink";

/** For anything that takes a poll or two on an idle machine. */
const SOON = { timeout: 60_000 };

let site: TestSite;
let sink: SmtpSink;
const workers: MailWorker[] = [];

beforeAll(async () => {
  sink = await startSmtpSink();
  site = await openTestSite({ variables: { SMTP_URL: sink.url } });
});
beforeEach(() =>
  getDatabase().db.execute(sql`
    truncate mails, campaigns, subscribers, suppressed_addresses, mail_workers, mail_token_buckets`),
);
afterEach(async () => {
  vi.restoreAllMocks();
  for (const worker of workers.splice(0)) await worker.stop(5_000);
  site.restoreEnvironment();
});
afterAll(async () => {
  await site.close();
  await sink.stop();
});

/** Issues whose body is their campaign's id. */
const issueSource: IssueSource = async (campaignId) => ({
  compose: (unsubscribeToken) => ({
    subject: "An issue",
    text: `Campaign ${campaignId}.\n`,
    html: `<p>Campaign ${campaignId}.</p>`,
    headers: {
      "List-Unsubscribe": `<https://book.test/newsletter/unsubscribe?token=${unsubscribeToken}>`,
    },
  }),
});

async function startWorker(source = issueSource): Promise<MailWorker> {
  const worker = await runMailWorker({ issueSource: source });
  workers.push(worker);
  return worker;
}

const message = { subject: "", text: "", html: "" };

let count = 0;

/** Adds subscribers and a campaign to them, like `newsletter send`; returns its id and their addresses. */
async function newCampaign(
  size: number,
  { rate = null, startsInS = 0 }: { rate?: number | null; startsInS?: number } = {},
): Promise<{ id: string; addresses: string[] }> {
  const name = `issue-${++count}-${Date.now()}`;
  const [campaign] = await getDatabase().db.execute<{ id: string }>(sql`
    insert into campaigns (slug, audience, subject, preview_text, markdown, rate, start_at)
    values (${name}, 'subscribers', 'An issue', '', '', ${rate}, now() + make_interval(secs => ${startsInS}))
    returning id`);
  const id = campaign?.id ?? "";
  const added = await getDatabase().db.execute<{ email: string }>(sql`
    with added as (
      insert into subscribers (email, confirmed_at, unsubscribe_token)
      select ${name} || '-' || n || '@example.test', now(), ${name} || n
      from generate_series(1, ${size}::int) n
      returning id, email
    ), queued as (
      insert into mails (kind, priority, campaign_id, subscriber_id, address_hash, due_at, expires_at)
      select 'newsletter', 2, ${id}::uuid, id, sha256(convert_to(lower(email), 'UTF8')),
        now() + make_interval(secs => ${startsInS}), now() + interval '3 days'
      from added
    )
    select email from added`);
  return { id, addresses: added.map(({ email }) => email) };
}

async function deliveriesTo(addresses: string[]) {
  return (await sink.deliveries()).filter(({ address }) => addresses.includes(address));
}

/** The number of a campaign's mails in each state. */
async function statesOf(campaignId: string): Promise<Record<string, number>> {
  const rows = await getDatabase().db.execute<{ state: string; count: number }>(sql`
    select state, count(*)::int as count from mails where campaign_id = ${campaignId} group by state`);
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

const untilSent = (campaignId: string, number: number) =>
  vi.waitUntil(async () => (await statesOf(campaignId)).sent === number, {
    timeout: 60_000,
    interval: 20,
  });

describe("a campaign", () => {
  it("reaches each of its subscribers once, from two workers that share it", async () => {
    const { id, addresses } = await newCampaign(100);
    await startWorker();
    await startWorker();
    await untilSent(id, 100);
    const deliveries = await deliveriesTo(addresses);
    expect(deliveries.map(({ address }) => address).toSorted()).toEqual(addresses.toSorted());
    const [row] = await getDatabase().db.execute<{ id: string }>(
      sql`select id from mails where address_hash = sha256(convert_to(${addresses[0]}, 'UTF8'))`,
    );
    expect(deliveries.find(({ address }) => address === addresses[0])?.messageId).toBe(
      `<${row?.id}@book.test>`,
    );
  });

  it("does not begin before its time", async () => {
    const { id } = await newCampaign(3, { startsInS: 3_600 });
    const now = await newCampaign(3);
    await startWorker();
    await untilSent(now.id, 3);
    expect(await statesOf(id)).toEqual({ queued: 3 });
    await getDatabase().db.execute(sql`update campaigns set start_at = now() where id = ${id}`);
    await getDatabase().db.execute(sql`update mails set due_at = now() where campaign_id = ${id}`);
    await untilSent(id, 3);
  });

  it("stops when paused, and sends the rest when resumed", async () => {
    const { id, addresses } = await newCampaign(200);
    await sink.script(Object.fromEntries(addresses.map((address) => [address, [{ wait: 20 }]])));
    await startWorker();
    await vi.waitUntil(async () => ((await statesOf(id)).sent ?? 0) > 20, SOON);
    const set = (state: string) =>
      getDatabase().db.execute(sql`update campaigns set state = ${state} where id = ${id}`);
    await set("paused");
    const { sent: sentBefore = 0 } = await statesOf(id);
    await vi.waitUntil(async () => (await statesOf(id)).sending === undefined, SOON);
    const { sent = 0, queued = 0 } = await statesOf(id);
    expect(queued).toBeGreaterThan(0);
    // claimed mail is sent, eight times as many mails as there are connections
    expect(sent - sentBefore).toBeLessThanOrEqual(48);
    const other = await newCampaign(5);
    await untilSent(other.id, 5);
    expect(await statesOf(id)).toEqual({ sent, queued });
    await set("running");
    await untilSent(id, 200);
    expect(await deliveriesTo(addresses)).toHaveLength(200);
  });

  it("mails nobody who has since left the list or been suppressed", async () => {
    const { id, addresses } = await newCampaign(5);
    const [left = "", suppressed = ""] = addresses;
    await getDatabase().db.execute(sql`delete from subscribers where email = ${left}`);
    await getDatabase().db.execute(sql`
      insert into suppressed_addresses (address_hash, reason)
      values (sha256(convert_to(${suppressed}, 'UTF8')), 'listed')`);
    await startWorker();
    await untilSent(id, 3);
    expect(await statesOf(id)).toEqual({ sent: 3, cancelled: 1, suppressed: 1 });
    expect(await deliveriesTo([left, suppressed])).toEqual([]);
  });

  const setMailRate = (MAIL_RATE: string) =>
    setEnvironment({
      SMTP_URL: sink.url,
      MAIL_FROM: "letters@book.test",
      LOG_LEVEL: "silent",
      MAIL_RATE,
    });

  it.each([
    ["its rate", { rate: 10 }],
    ["MAIL_RATE", { rate: null }],
  ])("keeps to %s in total over all workers", async (_which, { rate }) => {
    if (!rate) setMailRate("10");
    const { id, addresses } = await newCampaign(25, { rate });
    await startWorker();
    await startWorker();
    await untilSent(id, 25);
    const times = (await deliveriesTo(addresses)).map(({ at }) => at);
    // five of them at once, half a second's share
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(1_600);
  });

  it("does not delay transactional mail by MAIL_RATE", async () => {
    // at this rate all of it would take longer than this test may
    setMailRate("1");
    const { addresses } = await newCampaign(100);
    await startWorker();
    const urgent = Array.from({ length: 60 }, (_, n) => `urgent-${n}@example.test`);
    for (const to of urgent) await enqueueMail({ kind: "password-reset", to, message });
    wakeMailWorker();
    await vi.waitUntil(async () => (await deliveriesTo(urgent)).length === 60, SOON);
    expect((await deliveriesTo(addresses)).length).toBeLessThan(100);
  });

  it("leaves a connection to transactional mail while its own wait for slow responses", async () => {
    const worker = await startWorker();
    // a working server gets more connections
    for (let n = 0; n < 10; n++) {
      await enqueueMail({ kind: "account-welcome", to: `welcome-${n}@example.test`, message });
    }
    await mailIdle();
    const { addresses } = await newCampaign(50);
    await sink.script(
      Object.fromEntries(addresses.map((address) => [address, [{ wait: 60_000 }]])),
    );
    await vi.waitUntil(async () => (await sink.concurrency()) === 5, SOON);
    const to = "hurried@example.test";
    await enqueueMail({ kind: "password-reset", to, message });
    wakeMailWorker();
    // while all of the others wait for a response
    await vi.waitUntil(async () => (await deliveriesTo([to])).length === 1, SOON);
    await worker.stop(1);
  });

  it("is paused, with the reason, when the server refuses twenty of its mails in a row", async () => {
    const { id, addresses } = await newCampaign(200);
    const refusal = [{ refuse: 554, at: "message" as const }];
    await sink.script(Object.fromEntries(addresses.map((address) => [address, refusal])));
    const lines = watchLog();
    await startWorker();
    const pauses = () => lines.filter(({ message }) => message.includes("was paused"));
    await vi.waitUntil(() => pauses().length > 0, SOON);
    const [campaign] = await getDatabase().db.execute(
      sql`select state, pause_reason from campaigns where id = ${id}`,
    );
    expect(campaign).toEqual({
      state: "paused",
      pause_reason: "The mail server refused 20 mails in a row: 554 DATA",
    });
    await vi.waitUntil(async () => (await statesOf(id)).sending === undefined, SOON);
    // these, and those being sent meanwhile
    expect((await statesOf(id)).failed).toBeLessThanOrEqual(30);
    expect(pauses()).toHaveLength(1);
  });

  it("keeps its mails unchanged while its issue cannot be rendered", async () => {
    const { id, addresses } = await newCampaign(3);
    const broken = await startWorker(() => Promise.reject(new Error("no such template")));
    const lines = watchLog();
    await vi.waitUntil(() => lines.filter(({ level }) => level === "error").length >= 3, SOON);
    await vi.waitUntil(async () => (await statesOf(id)).sending === undefined, SOON);
    expect(await statesOf(id)).toEqual({ queued: 3 });
    await broken.stop(1_000);
    await getDatabase().db.execute(sql`update mails set due_at = now()`);
    await startWorker();
    await untilSent(id, 3);
    expect(await deliveriesTo(addresses)).toHaveLength(3);
  });
});
